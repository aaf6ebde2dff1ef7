import type { Migration } from './dialect.ts';

/** Lists of addresses that payees are compared with, by `match_key`: the same for all scripts that one key spends. */
export const screeningLists: Migration = {
  version: 57,
  name: 'screening lists',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE screening_lists (
      list_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      addresses ${integer} NOT NULL,
      sha256 ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX screening_lists_by_account ON screening_lists (account_id, created_at, list_id)',
    `CREATE TABLE screening_entries (
      list_id ${text} NOT NULL REFERENCES screening_lists (list_id),
      account_id ${text} NOT NULL,
      script_pubkey ${text} NOT NULL,
      match_key ${text} NOT NULL,
      address ${text} NOT NULL,
      reason ${text} NOT NULL,
      reference ${text} NOT NULL,
      PRIMARY KEY (list_id, script_pubkey)
    ) ${clustered}`,
    'CREATE INDEX screening_entries_by_key ON screening_entries (account_id, match_key, list_id, address)',
  ],
};
