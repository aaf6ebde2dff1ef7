import type { ColumnTypes, Migration } from './dialect.ts';

/** The nonces of payments stand beside those of sessions: what signs for one signs for none of the others. */
export const noncesOfPayments: Migration = {
  version: 15,
  name: 'MuSig2 nonces of payments',
  statements: ({ text, clustered }: ColumnTypes) => [
    // used_by: a session's id or a payment's unsigned txid.
    `CREATE TABLE given_nonces (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      public_nonce ${text} NOT NULL CHECK (length(public_nonce) = 132),
      used_by ${text} NOT NULL,
      PRIMARY KEY (account_id, public_nonce)
    ) ${clustered}`,
    'INSERT INTO given_nonces SELECT account_id, public_nonce, session_id FROM musig_nonces',
    'DROP TABLE musig_nonces',
    'ALTER TABLE given_nonces RENAME TO musig_nonces',
  ],
};
