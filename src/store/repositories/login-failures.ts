import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

export interface LoginFailures {
  failures: number;
  lastFailedAt: number;
}

declare module '../schema.ts' {
  interface Schema {
    /** Logins that failed, by a keyed digest of the name and where they came from. */
    login_failures: { key: string; failures: bigint; last_failed_at: bigint };
  }
}

const COLUMNS = ['key', 'failures', 'last_failed_at'] as const;
/** Where the row is there (or is being made by a job under way) it is taken under this job's lock. */
const holdKeys = insertRows<'login_failures', { failures: bigint; last_failed_at: bigint }>(
  'login_failures',
  COLUMNS,
  'on conflict (key) do update set failures = login_failures.failures returning failures, last_failed_at',
);
const setKeys = insertRows(
  'login_failures',
  COLUMNS,
  'on conflict (key) do update set failures = excluded.failures, last_failed_at = excluded.last_failed_at',
);
const findKey = prepared((db, p: { key: string }) =>
  db.selectFrom('login_failures').selectAll().where('key', '=', p.key),
);
const deleteKey = prepared((db, p: { key: string }) => db.deleteFrom('login_failures').where('key', '=', p.key));
const deleteOlder = prepared((db, p: { time: bigint }) =>
  db.deleteFrom('login_failures').where('last_failed_at', '<', p.time),
);

export function loginFailureRepository(session: Session) {
  return {
    find: async (key: string) => {
      const row = await findKey.first(session, { key });
      return row && { failures: Number(row.failures), lastFailedAt: Number(row.last_failed_at) };
    },
    /** The count of a key (none: 0 failures), for a job that goes by it: until that ends no other job changes it. */
    findForUpdate: async (key: string) => {
      const { rows } = await holdKeys(session, [{ key, failures: 0n, last_failed_at: 0n }]);
      const [row] = rows;
      return { failures: Number(row?.failures ?? 0n), lastFailedAt: Number(row?.last_failed_at ?? 0n) };
    },
    set: async (key: string, { failures, lastFailedAt }: LoginFailures) => {
      await setKeys(session, [{ key, failures: BigInt(failures), last_failed_at: BigInt(lastFailedAt) }]);
    },
    delete: async (key: string) => {
      await deleteKey.run(session, { key });
    },
    deleteOlderThan: async (time: number) => Number(await deleteOlder.run(session, { time: BigInt(time) })),
  };
}
