import type { Migration } from './dialect.ts';

/** `created_at`: the day's beginning (UTC). Payments whose hours are still among spend_sums are counted there. */
export const usage: Migration = {
  version: 24,
  name: 'usage',
  statements: ({ text, integer, clustered }) => [
    `CREATE TABLE usage_days (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      created_at ${integer} NOT NULL,
      credential_id ${text} NOT NULL,
      requests ${integer} NOT NULL,
      refusals ${integer} NOT NULL,
      payments ${integer} NOT NULL,
      volume_sats ${integer} NOT NULL,
      PRIMARY KEY (account_id, created_at, credential_id)
    ) ${clustered}`,
    'CREATE INDEX usage_days_by_credential ON usage_days (account_id, credential_id, created_at)',
    'CREATE INDEX usage_days_by_day ON usage_days (created_at)',
  ],
};
