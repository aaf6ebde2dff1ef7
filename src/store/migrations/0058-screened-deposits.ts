import type { Migration } from './dialect.ts';

/** Who paid each deposit, as far as its inputs tell, by the keys that screening lists have; and the deposits that are frozen for it. */
export const screenedDeposits: Migration = {
  version: 58,
  name: 'screened deposits',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE deposit_payers (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      match_key ${text} NOT NULL,
      txid ${text} NOT NULL,
      PRIMARY KEY (account_id, match_key, txid)
    ) ${clustered}`,
    `CREATE TABLE screened_deposits (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      txid ${text} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('frozen', 'released')),
      lists ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, txid)
    ) ${table}`,
    'CREATE INDEX screened_deposits_by_account ON screened_deposits (account_id, created_at, txid)',
    `ALTER TABLE screening_lists ADD COLUMN sweep ${text}`,
    'CREATE INDEX screening_lists_to_sweep ON screening_lists (updated_at) WHERE sweep IS NOT NULL',
  ],
};
