import type { Migration } from './dialect.ts';

export const whatPaymentsSpend: Migration = {
  version: 14,
  name: 'what payments spend',
  statements: ({ integer }) => [
    `ALTER TABLE transactions ADD COLUMN input_count ${integer} CHECK (input_count > 0)`,
    // What payments before this one paid for their ancestors was not kept.
    `ALTER TABLE transactions ADD COLUMN ancestor_fee_sats ${integer} NOT NULL DEFAULT 0 CHECK (ancestor_fee_sats >= 0)`,
    `UPDATE transactions SET input_count = (SELECT nullif(count(*), 0) FROM transaction_inputs
      WHERE transaction_inputs.txid = transactions.txid AND transaction_inputs.account_id = transactions.account_id)`,
  ],
};
