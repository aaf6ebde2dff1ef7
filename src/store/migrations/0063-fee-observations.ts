import type { Migration } from './dialect.ts';

export const feeObservations: Migration = {
  version: 63,
  name: 'what feerates blocks took, and what was predicted of them',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE fee_observations (
      height ${integer} NOT NULL PRIMARY KEY,
      block_hash ${text} NOT NULL,
      seen_at ${integer} NOT NULL,
      needed ${integer},
      said ${text} NOT NULL
    ) ${table}`,
  ],
};
