import type { Migration } from './dialect.ts';

export const howManyScriptsAreWatched: Migration = {
  version: 16,
  name: 'how many scripts are watched',
  statements: ({ integer }) => [
    `ALTER TABLE accounts ADD COLUMN script_count ${integer} NOT NULL DEFAULT 0 CHECK (script_count >= 0)`,
    'UPDATE accounts SET script_count = (SELECT count(*) FROM scripts WHERE scripts.account_id = accounts.account_id)',
  ],
};
