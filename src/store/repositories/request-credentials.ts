/** Which credentials of accounts have figures of their own. Those are in metric-sums.ts. */
import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { integer, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const credentialsTable = table('request_credentials', ['credentialId'], {
  accountId: text<AccountId>(),
  credentialId: text(),
  /** On which it asked last (its beginning, UTC), and how often. */
  day: time,
  requests: integer,
});
export type RequestCredential = RecordOf<typeof credentialsTable>;

declare module '../schema.ts' {
  interface Schema {
    request_credentials: RowOf<typeof credentialsTable>;
  }
}

const credentials = rowsOf(
  credentialsTable,
  `on conflict (account_id, credential_id) do update set day = excluded.day,
    requests = excluded.requests + case when request_credentials.day = excluded.day then request_credentials.requests else 0 end`,
);
/** One after the other by key, so that two jobs never wait for each other in a circle. As metrics are added up under (0047). */
const lock = prepared((db, p: { accounts: string }) => ({
  compile: () =>
    sql<never>`select pg_advisory_xact_lock(x'4153484d'::int, key) from (
      select distinct hashtext(account) as key from json_array_elements_text(${p.accounts}::json) as account order by key) as keys`.compile(
      db,
    ),
}));
const ofAccounts = prepared((db, p: { accounts: string }, kind) =>
  credentials
    .select(db)
    .where(
      'account_id',
      'in',
      kind === 'sqlite'
        ? sql<AccountId>`(select value from json_each(${p.accounts}))`
        : sql<AccountId>`(select json_array_elements_text(${p.accounts}::json))`,
    ),
);
const deleteBefore = prepared((db, p: { day: bigint; limit: bigint }) => ({
  compile: () =>
    sql`delete from request_credentials where (account_id, credential_id) in (
      select account_id, credential_id from request_credentials where day < ${p.day} order by day limit ${p.limit})`.compile(
      db,
    ),
}));

export function requestCredentialRepository(session: Session) {
  return {
    all: (accountId: AccountId) => credentials.all(session, { accountId }),
    /** Of these accounts; until the job ends no other job names any of theirs. */
    allForUpdate: async (accountIds: readonly AccountId[]): Promise<RequestCredential[]> => {
      const accounts = JSON.stringify(accountIds);
      if (session.kind === 'postgres') await lock.all(session, { accounts });
      return (await ofAccounts.all(session, { accounts })).map((row) => credentials.record(row));
    },
    /** Requests are added to those of the same day. */
    count: async (records: readonly RequestCredential[]) => {
      await credentials.insert(session, records);
    },
    delete: async (accountId: AccountId, credentialId: string) => {
      await credentials.delete(session, { accountId, credentialId });
    },
    /** Of every account, so many at once: those that asked last before this day. */
    deleteBefore: async (day: number, limit: number) =>
      Number(await deleteBefore.run(session, { day: BigInt(day), limit: BigInt(limit) })),
  };
}
