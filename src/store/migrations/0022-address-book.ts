import type { Migration } from './dialect.ts';

export const addressBook: Migration = {
  version: 22,
  name: 'address book',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE address_book (
      entry_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      address ${text} NOT NULL,
      script_pubkey ${text} NOT NULL,
      tags ${text} NOT NULL,
      external_id ${text},
      proof ${text},
      effective_at ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE UNIQUE INDEX address_book_by_script ON address_book (account_id, script_pubkey)',
    'CREATE INDEX address_book_by_account ON address_book (account_id, created_at, entry_id)',
  ],
};
