import type { Migration } from './dialect.ts';

/** Each entry of a key that is random costs a payment the write of a page. */
export const fewerIndexEntries: Migration = {
  version: 34,
  name: 'fewer index entries',
  statements: () => [
    // Of native segwit both txids are the same, and a record is found by the other one.
    'DROP INDEX transactions_by_unsigned_txid',
    `CREATE INDEX transactions_by_unsigned_txid ON transactions (unsigned_txid, account_id, ordinal)
      WHERE unsigned_txid <> txid`,
    // An address stands for a script, which is unique in its wallet.
    'DROP INDEX scripts_by_address',
  ],
};
