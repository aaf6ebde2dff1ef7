import { type AddSeries, ageSeconds, databaseGauges } from '../../metrics/series.ts';
import type { Repositories } from '../../store/store.ts';

type Counts = Awaited<ReturnType<Repositories['metrics']['governance']>>;

const STATES = ['ready', 'awaiting_approval'] as const;

export const governanceSeries =
  ({ clock, counts }: { clock: () => number; counts: () => Promise<Counts> }): AddSeries =>
  (registry) => {
    databaseGauges(registry, counts, {
      name: 'ashlar_proposals',
      help: 'Proposals of every account, by status',
      label: 'status',
      of: ['active', 'passed', 'rejected'],
      values: ({ proposals }) => new Map(Object.entries(proposals) as [keyof Counts['proposals'], number][]),
    });
    databaseGauges(registry, counts, {
      name: 'ashlar_proposal_executions_open',
      help: 'Executions of proposals that can be asked for, or wait for approval; at most 10,000 are counted',
      label: 'state',
      of: STATES,
      values: ({ executions }) => new Map(STATES.map((state) => [state, executions[state].count])),
    });
    databaseGauges(registry, counts, {
      name: 'ashlar_proposal_executions_oldest_seconds',
      help: 'For how long the oldest of them has been in this state',
      label: 'state',
      of: STATES,
      values: ({ executions }) =>
        new Map(STATES.map((state) => [state, ageSeconds(executions[state].oldestAt, clock())])),
    });
    return undefined;
  };
