/** What the checks of the compliance status count, each by an index of its own and up to a bound, and since when each stands as it does. */
import { type RawBuilder, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export type CheckStatus = 'pass' | 'warn' | 'fail' | 'unknown';

const checksTable = table('compliance_checks', ['checkId'], {
  accountId: text<AccountId>(),
  checkId: text(),
  status: text<CheckStatus>(),
  since: time,
});
export type CheckRecord = RecordOf<typeof checksTable>;

declare module '../schema.ts' {
  interface Schema {
    compliance_checks: RowOf<typeof checksTable>;
  }
}

/** What has come to be so since `at`, oldest first; `kind` tells ids of different tables apart. */
export interface Dated {
  readonly id: string;
  readonly kind: string;
  readonly at: number;
}
type DatedRow = { id: string; kind: string; at: bigint };

/** Who looked a moment before has said it already: then its time stands. */
const checks = rowsOf(
  checksTable,
  `on conflict (account_id, check_id) do update set status = excluded.status, since = excluded.since
    where compliance_checks.status <> excluded.status`,
);

/** The conditions are written as in the indexes: only then are those taken. */
const dated = <P extends { limit: bigint }>(parts: (p: Readonly<P>) => readonly RawBuilder<unknown>[]) =>
  prepared<P, DatedRow>((db, p) => ({
    compile: () => {
      const bounded = parts(p).map((part) => sql`select * from (${part} limit ${p.limit}) as part`);
      return sql<DatedRow>`select * from (${sql.join(bounded, sql` union all `)}) as found order by at, id limit ${p.limit}`.compile(
        db,
      );
    },
  }));
const keys = dated<{ accountId: AccountId; now: bigint; before: bigint; limit: bigint }>(
  ({ accountId, now, before }) => [
    sql`select key_id as id, 'api_key' as kind, created_at as at from api_keys
    where account_id = ${accountId} and revoked_at IS NULL AND rotated_to IS NULL and created_at < ${before}
      and (expires_at is null or expires_at > ${now}) order by created_at`,
    sql`select client_id as id, 'oauth_client' as kind, coalesce(previous_secret_until, created_at) as at from oauth_clients
    where account_id = ${accountId} and revoked_at IS NULL and coalesce(previous_secret_until, created_at) < ${before}
      and (expires_at is null or expires_at > ${now}) order by coalesce(previous_secret_until, created_at)`,
    sql`select key_id as id, 'signing_key' as kind, created_at as at from signing_keys
    where account_id = ${accountId} and revoked_at IS NULL and created_at < ${before} order by created_at`,
  ],
);
const unconfirmed = dated<{ accountId: AccountId; before: bigint; limit: bigint }>(({ accountId, before }) =>
  ['signed', 'broadcast'].map(
    (status) => sql`select txid as id, status as kind, created_at as at from
      (select txid, status, created_at from transactions where account_id = ${accountId} and status = ${sql.lit(status)}
        order by ordinal limit ${sql.lit(MOST)}) as oldest
      where created_at < ${before}`,
  ),
);
const wallets = dated<{ accountId: AccountId; before: bigint; limit: bigint }>(({ accountId, before }) => [
  sql`select wallet_id as id, 'wallet' as kind, backed_up_at as at from wallets
    where account_id = ${accountId} and secret IS NOT NULL AND archived_at IS NULL and backed_up_at < ${before}
    order by backed_up_at, wallet_id`,
]);
/** `at` is 0: when it was removed, nobody knows. Administrators first. */
const people = prepared((db, p: { accountId: AccountId; limit: bigint }) =>
  db
    .selectFrom('users')
    .select(['user_id as id', 'role as kind'])
    .where('account_id', '=', p.accountId)
    .where(
      sql<boolean>`totp_confirmed_at IS NULL AND password_hash IS NOT NULL AND disabled_at IS NULL AND deleted_at IS NULL`,
    )
    .orderBy('role')
    .orderBy('user_id')
    .limit(p.limit),
);

/** So many are counted. */
const MOST = 1_000;
const limit = BigInt(MOST);
const toDated = (rows: readonly DatedRow[]): Dated[] => rows.map(({ id, kind, at }) => ({ id, kind, at: Number(at) }));

/** Each list has the oldest MOST. */
export function complianceCheckRepository(session: Session) {
  return {
    all: (accountId: AccountId) => checks.all(session, { accountId }),
    /** Those whose status is another one than was kept; of the others the time stands. */
    keep: async (records: readonly CheckRecord[]) => {
      if (records.length > 0) await checks.insert(session, records);
    },
    /** API keys, secrets of OAuth clients and signing keys that serve now and were made, or last rotated, before. */
    keysBefore: async (accountId: AccountId, { now, before }: { now: number; before: number }) =>
      toDated(await keys.all(session, { accountId, now: BigInt(now), before: BigInt(before), limit })),
    /** Transactions in no block that were made, or seen, before. */
    unconfirmedBefore: async (accountId: AccountId, before: number) =>
      toDated(await unconfirmed.all(session, { accountId, before: BigInt(before), limit })),
    /** Wallets with keys whose last backup was made before; 0: they have none. */
    walletsBefore: async (accountId: AccountId, before: number) =>
      toDated(await wallets.all(session, { accountId, before: BigInt(before), limit })),
    /** People who log in with a password alone: `kind` is the role. */
    peopleWithoutSecondFactor: async (accountId: AccountId) => people.all(session, { accountId, limit }),
  };
}
