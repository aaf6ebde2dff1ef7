import type { Migration } from './dialect.ts';

/** For the metrics of executions that somebody has to do something about: conditions in queries are written as here. */
export const openExecutions: Migration = {
  version: 75,
  name: 'executions of proposals that nobody has carried out, by since when',
  statements: () =>
    ['ready', 'awaiting_approval'].map(
      (status) => `CREATE INDEX governance_executions_${status} ON governance_proposals (execution_since)
        WHERE execution_status = '${status}'`,
    ),
};
