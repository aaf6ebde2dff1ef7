import type { Migration } from './dialect.ts';

export const howManyScriptsAreWatched: Migration = {
  version: 16,
  name: 'how many scripts are watched',
  statements: ({ integer }) => [
    `ALTER TABLE accounts ADD COLUMN script_count ${integer} NOT NULL DEFAULT 0 CHECK (script_count >= 0)`,
    // One pass over the scripts, whose accounts have no index.
    `UPDATE accounts SET script_count = counted.scripts
      FROM (SELECT account_id, count(*) AS scripts FROM scripts GROUP BY account_id) AS counted
      WHERE counted.account_id = accounts.account_id`,
  ],
};
