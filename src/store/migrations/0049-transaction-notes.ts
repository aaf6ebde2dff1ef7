import type { ColumnTypes, Migration } from './dialect.ts';

/** Each recipient of each record, bech32 addresses in lower case as core/address-book/entry-rules.ts has them. */
function outputsUntilNow({ kind }: ColumnTypes): string {
  const each =
    kind === 'sqlite'
      ? `SELECT account_id, txid, key AS place, value ->> 'address' AS given, value ->> 'amount_sats' AS amount
          FROM transactions, json_each(recipients)`
      : `SELECT account_id, txid, place, value ->> 'address' AS given, value ->> 'amount_sats' AS amount
          FROM transactions, json_array_elements(recipients::json) WITH ORDINALITY AS one (value, place)`;
  const address = `CASE WHEN lower(given) LIKE 'bc1%' OR lower(given) LIKE 'tb1%' OR lower(given) LIKE 'bcrt1%'
    THEN lower(given) ELSE given END`;
  return `INSERT INTO payment_outputs (account_id, address, amount_sats, txid, nth)
    SELECT account_id, ${address}, CAST(amount AS ${kind === 'sqlite' ? 'INTEGER' : 'BIGINT'}), txid,
      row_number() OVER (PARTITION BY account_id, txid, ${address}, amount ORDER BY place) - 1
    FROM (${each}) AS outputs`;
}

export const transactionNotes: Migration = {
  version: 49,
  name: 'transaction notes',
  statements: (types) => [
    `CREATE TABLE payment_outputs (
      account_id ${types.text} NOT NULL,
      address ${types.text} NOT NULL,
      amount_sats ${types.integer} NOT NULL,
      txid ${types.text} NOT NULL,
      nth ${types.integer} NOT NULL,
      PRIMARY KEY (account_id, address, amount_sats, txid, nth)
    ) ${types.clustered}`,
    outputsUntilNow(types),
    `CREATE TABLE transaction_notes (
      note_id ${types.text} NOT NULL PRIMARY KEY,
      account_id ${types.text} NOT NULL REFERENCES accounts (account_id),
      amount_sats ${types.integer} NOT NULL,
      sender ${types.text} NOT NULL,
      recipient ${types.text} NOT NULL,
      txid ${types.text},
      nth ${types.integer},
      created_at ${types.integer} NOT NULL,
      updated_at ${types.integer} NOT NULL
    ) ${types.table}`,
    'CREATE INDEX transaction_notes_by_account ON transaction_notes (account_id, created_at, note_id)',
    'CREATE INDEX transaction_notes_unlinked ON transaction_notes (account_id, recipient, amount_sats) WHERE txid IS NULL',
    `CREATE UNIQUE INDEX transaction_notes_by_output ON transaction_notes (account_id, txid, recipient, amount_sats, nth)
      WHERE txid IS NOT NULL`,
  ],
};
