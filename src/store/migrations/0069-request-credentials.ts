import { addedUp, addUpOnPostgres, addUpOnSqlite, LENGTHS } from './0047-metrics.ts';
import { OF_LEVELS } from './0061-balances.ts';
import type { Migration } from './dialect.ts';

/** Requests are kept for the account as all else is, and for a credential, which stands in the place of the wallet, by hours and days. */
const added = (changes: string): string =>
  addedUp(
    changes,
    `AND (minutes < ${OF_LEVELS} OR source = 'balance') AND (of_wallet = 0 OR minutes >= 60 OR source <> 'request')`,
    [...LENGTHS, OF_LEVELS],
  );

export const requestCredentials: Migration = {
  version: 69,
  name: 'requests by credential',
  statements: ({ kind, text, integer, clustered }) => [
    `CREATE TABLE request_credentials (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      credential_id ${text} NOT NULL,
      day ${integer} NOT NULL,
      requests ${integer} NOT NULL,
      PRIMARY KEY (account_id, credential_id)
    ) ${clustered}`,
    'CREATE INDEX request_credentials_by_day ON request_credentials (day)',
    ...(kind === 'sqlite' ? ['DROP TRIGGER metric_changes_added', addUpOnSqlite(added)] : [addUpOnPostgres(added)]),
  ],
};
