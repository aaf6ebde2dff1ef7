import type { Migration } from './dialect.ts';

/** Amounts of tokens are decimal texts of their smallest unit: the largest supply takes 80 bits. */
export const governance: Migration = {
  version: 64,
  name: 'governance: DAOs, holders and their tokens',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE governance_daos (
      account_id ${text} NOT NULL PRIMARY KEY REFERENCES accounts (account_id),
      parameters ${text} NOT NULL,
      supply ${text} NOT NULL,
      seq ${integer} NOT NULL,
      created_at ${integer} NOT NULL
    ) ${table}`,
    `CREATE TABLE governance_holders (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      holder_id ${text} NOT NULL,
      address ${text} NOT NULL,
      registrations ${integer} NOT NULL,
      balance ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, holder_id)
    ) ${clustered}`,
    'CREATE UNIQUE INDEX governance_holders_by_address ON governance_holders (account_id, address)',
    'CREATE INDEX governance_holders_by_time ON governance_holders (account_id, created_at, holder_id)',
    `CREATE TABLE governance_entries (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      holder_id ${text} NOT NULL,
      seq ${integer} NOT NULL,
      type ${text} NOT NULL,
      change ${text} NOT NULL,
      balance ${text} NOT NULL,
      counterparty_id ${text},
      reason ${text},
      created_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, holder_id, seq)
    ) ${clustered}`,
    'CREATE INDEX governance_entries_by_time ON governance_entries (account_id, created_at, seq, holder_id)',
    `CREATE INDEX governance_entries_by_holder ON governance_entries (account_id, holder_id, created_at, seq)`,
  ],
};
