import type { Migration } from './dialect.ts';

/** When a vote was signed: one that was signed before it does not replace it. */
export const signedVotes: Migration = {
  version: 74,
  name: 'governance: when votes were signed',
  statements: ({ integer }) => [`ALTER TABLE governance_votes ADD COLUMN signed_at ${integer} NOT NULL DEFAULT 0`],
};
