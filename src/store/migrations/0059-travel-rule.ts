import type { Migration } from './dialect.ts';

/** Who is behind payments, encrypted; and from which amount on that is asked. */
export const travelRule: Migration = {
  version: 59,
  name: 'travel rule',
  statements: (types) => [
    `CREATE TABLE travel_rule (
      account_id ${types.text} NOT NULL REFERENCES accounts (account_id),
      unsigned_txid ${types.text} NOT NULL,
      recipient ${types.integer} NOT NULL,
      content ${types.text} NOT NULL,
      updated_at ${types.integer} NOT NULL,
      PRIMARY KEY (account_id, unsigned_txid, recipient)
    ) ${types.clustered}`,
    `ALTER TABLE enterprise_config ADD COLUMN travel_rule_sats ${types.integer} CHECK (travel_rule_sats >= 0)`,
  ],
};
