import type { Migration } from './dialect.ts';

/** Until when a secret result of an approval is kept; null where it is not secret, or erased. */
export const secretResults: Migration = {
  version: 31,
  name: 'secret-results',
  statements: ({ integer }) => [
    `ALTER TABLE approvals ADD COLUMN result_until ${integer}`,
    'CREATE INDEX approvals_secret_results ON approvals (result_until) WHERE result_until IS NOT NULL',
  ],
};
