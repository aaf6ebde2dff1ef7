import type { Migration } from './dialect.ts';

/** Wallets that only proposals spend stand with the rules, which every spending asks. */
export const treasury: Migration = {
  version: 67,
  name: 'treasury of a DAO',
  statements: ({ text }) => [`ALTER TABLE enterprise_config ADD COLUMN treasuries ${text} NOT NULL DEFAULT '[]'`],
};
