import { addedUp, addUpOnSqlite, LENGTHS, LOCK_CLASS } from './0047-metrics.ts';
import { OF_LEVELS } from './0061-balances.ts';
import type { Migration } from './dialect.ts';

/** Requests are kept for the account as all else is, and for a credential, which stands in the place of the wallet, by hours and days. */
const added = (changes: string): string =>
  addedUp(
    changes,
    `AND (minutes < ${OF_LEVELS} OR source = 'balance') AND (of_wallet = 0 OR minutes >= 60 OR source <> 'request')`,
    [...LENGTHS, OF_LEVELS],
  );

/** Changes of an account that gather on PostgreSQL. */
const MOST_CHANGES = 64;
const OF_CHANGES = 'account_id, wallet_id, source, minute, type, status';
const SUMS = ['items', 'amount_sats', 'fee_sats'];
/**
 * The index still has what was deleted lately. A scan of it marks that as gone and passes over it from then on, and its pages do not grow;
 * a bitmap scan, which a planner takes that knows nothing of the table, goes over all of it each time until it is vacuumed.
 */
const BY_INDEX = 'SET enable_bitmapscan = off SET enable_seqscan = off';

/** As 0047 has it. What comes to nothing, as most statuses of a payment do, is left out before it is taken for each bucket. */
const ADD_UP = `CREATE OR REPLACE FUNCTION add_up_metrics(account text) RETURNS void LANGUAGE plpgsql ${BY_INDEX} AS $$
  BEGIN
    IF EXISTS (SELECT FROM metric_changes WHERE account_id = account OFFSET ${MOST_CHANGES - 1})
      AND pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext(account)) THEN
      WITH deleted AS (DELETE FROM metric_changes WHERE account_id = account RETURNING *),
        gone AS MATERIALIZED (SELECT ${OF_CHANGES}, ${SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(', ')}
          FROM deleted GROUP BY ${OF_CHANGES} HAVING ${SUMS.map((sum) => `sum(${sum}) <> 0`).join(' OR ')})
      ${added('gone')};
    END IF;
  END $$`;

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
    ...(kind === 'sqlite'
      ? ['DROP TRIGGER metric_changes_added', addUpOnSqlite(added)]
      : [ADD_UP, `ALTER FUNCTION add_up_wallet_sums(text) ${BY_INDEX}`]),
  ],
};
