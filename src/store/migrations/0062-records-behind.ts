import type { Migration } from './dialect.ts';

/**
 * The records behind a figure are found by account and time: those in a block by the block's time, all others by when they were recorded. Heights
 * come in order, hashes do not: the entry of a block's transaction costs less.
 */
export const recordsBehind: Migration = {
  version: 62,
  name: 'records behind figures',
  statements: () => [
    'DROP INDEX transactions_by_block',
    'CREATE INDEX transactions_by_block ON transactions (block_height, account_id) WHERE block_height IS NOT NULL',
    'CREATE INDEX transactions_by_time ON transactions (account_id, created_at)',
    'CREATE INDEX blocks_by_time ON blocks (time)',
  ],
};
