import type { Migration } from './dialect.ts';

/** Wallets that only proposals spend stand with the rules, which every spending asks. */
export const treasury: Migration = {
  version: 67,
  name: 'treasury of a DAO',
  statements: ({ text, integer, clustered }) => [
    `ALTER TABLE enterprise_config ADD COLUMN treasuries ${text} NOT NULL DEFAULT '[]'`,
    `CREATE TABLE governance_executions (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      proposal_id ${text} NOT NULL,
      attempt ${integer} NOT NULL,
      txid ${text},
      reason ${text},
      executed_at ${integer},
      created_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, proposal_id, attempt)
    ) ${clustered}`,
    'CREATE UNIQUE INDEX governance_executions_by_txid ON governance_executions (account_id, txid) WHERE txid IS NOT NULL',
  ],
};
