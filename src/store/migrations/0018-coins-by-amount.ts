import type { Migration } from './dialect.ts';

/**
 * Payments of a large wallet read some of its coins: by amount, and those that share a script. Of an index over some rows SQLite reads the
 * rows themselves for the columns of its condition unless those are in it, too.
 */
export const coinsByAmount: Migration = {
  version: 18,
  name: 'coins by amount',
  statements: () => [
    `CREATE INDEX coins_by_amount ON coins
      (wallet_id, amount_sats, coin_id, height, coinbase, live, spent_by, locked, frozen)
      WHERE live = 1 AND spent_by IS NULL AND locked = 0 AND frozen = 0 AND height IS NOT NULL`,
    `CREATE INDEX coins_unconfirmed_by_amount ON coins
      (wallet_id, amount_sats, coin_id, own, tx_version, height, live, spent_by, locked, frozen)
      WHERE live = 1 AND spent_by IS NULL AND locked = 0 AND frozen = 0 AND height IS NULL`,
    `CREATE INDEX coins_sharing_script ON coins (wallet_id, derivation_index, change, coin_id)
      WHERE live = 1 AND spent_by IS NULL`,
  ],
};
