import type { Migration } from './dialect.ts';

export const whoChangesRules: Migration = {
  version: 33,
  name: 'what a change of the rules waits for',
  statements: ({ text }) => [`ALTER TABLE enterprise_config ADD COLUMN policy_change ${text}`],
};
