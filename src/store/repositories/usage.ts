import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { integer, named, type RecordOf, type RowOf, sats, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const usageDays = table('usage_days', ['credentialId'], {
  accountId: text<AccountId>(),
  /** Its beginning (UTC). */
  day: named('created_at', time),
  credentialId: text(),
  requests: integer,
  refusals: integer,
  /** Of hours that spend_sums has no more. */
  payments: integer,
  volumeSats: sats,
});
export type UsageDay = RecordOf<typeof usageDays>;

export interface UsageFilter {
  credentialId?: string;
  /** First and last day, their beginnings. */
  from?: number;
  to?: number;
}

declare module '../schema.ts' {
  interface Schema {
    usage_days: RowOf<typeof usageDays>;
  }
}

const KEY = '(account_id, created_at, credential_id)';
const sum = (column: string): string => `${column} = usage_days.${column} + excluded.${column}`;
const ADD_UP = `on conflict ${KEY} do update set ${['requests', 'refusals', 'payments', 'volume_sats'].map(sum).join(', ')}`;
const days = rowsOf(usageDays, ADD_UP);
/** `where`, so that SQLite takes the rest for no join. */
const takeOver = prepared<{ hour: bigint }, never>((db, p) => ({
  compile: () =>
    sql<never>`
      insert into usage_days (account_id, created_at, credential_id, requests, refusals, payments, volume_sats)
        select account_id, hour / 24 * 86400000, subject, 0, 0, cast(sum(count) as bigint), cast(sum(amount_sats) as bigint)
          from spend_sums where hour < ${p.hour} and scope = 'credential' group by 1, 2, 3 order by 1, 2, 3
        ${sql.raw(ADD_UP)}`.compile(db),
}));
const ofDay = prepared((db, p: { day: bigint; limit: bigint }) =>
  db
    .selectFrom('usage_days')
    .select(['credential_id', 'requests'])
    .where('created_at', '=', p.day)
    .orderBy('requests', 'desc')
    .limit(p.limit),
);
const deleteBefore = prepared((db, p: { at: bigint }) => db.deleteFrom('usage_days').where('created_at', '<', p.at));

export function usageRepository(session: Session) {
  return {
    /** Each to what there is of its account, day and credential. */
    add: async (records: readonly UsageDay[]) => {
      await days.insert(session, records);
    },
    /** The latest day first, within a day by credential. */
    list: (accountId: AccountId, { credentialId, from, to }: UsageFilter, page: PageRequest) =>
      days.page(
        session,
        {
          name: 'usage',
          where: { accountId, credentialId },
          and: (eb) => [
            from === undefined ? undefined : eb('created_at', '>=', BigInt(from)),
            to === undefined ? undefined : eb('created_at', '<=', BigInt(to)),
          ],
        },
        page,
      ),
    /** Of every account: the requests of credentials on a day (its beginning), the most first. */
    ofDay: async (day: number, limit: number): Promise<Pick<UsageDay, 'credentialId' | 'requests'>[]> =>
      (await ofDay.all(session, { day: BigInt(day), limit: BigInt(limit) })).map((row) => ({
        ...{ credentialId: row.credential_id, requests: Number(row.requests) },
      })),
    /** In the job that deletes them: payments of the hours (since the epoch) before this one. */
    takeOver: async (hour: number) => {
      await takeOver.run(session, { hour: BigInt(hour) });
    },
    /** Answers how many there were. */
    deleteBefore: async (at: number) => Number(await deleteBefore.run(session, { at: BigInt(at) })),
  };
}
