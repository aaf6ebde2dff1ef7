/** Metrics of accounts' own: which sets of labels each has. Their points are in metric-sums.ts. */

import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { Kind } from '../../core/metrics/custom-metric.ts';
import { integer, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const seriesTable = table('custom_metrics', ['name', 'labels'], {
  accountId: text<AccountId>(),
  /** Without `custom.`. */
  name: text(),
  /** As labelsKey writes them. */
  labels: text(),
  kind: text<Kind>(),
  /** In the account; its number in the sums. */
  series: integer,
  /** The day (its beginning, UTC) on which the last points were taken, and how many. */
  day: time,
  points: integer,
});
export type MetricSeries = RecordOf<typeof seriesTable>;

declare module '../schema.ts' {
  interface Schema {
    custom_metrics: RowOf<typeof seriesTable>;
  }
}

const series = rowsOf(seriesTable);
const totals = prepared((db, p: { accountId: AccountId; day: bigint }) =>
  db
    .selectFrom('custom_metrics')
    .where('account_id', '=', p.accountId)
    .select(({ fn }) => [
      fn.count<bigint>('name').distinct().as('names'),
      fn.countAll<bigint>().as('series'),
      fn.max('series').as('last'),
      sql<bigint>`cast(coalesce(sum(case when day = ${p.day} then points else 0 end), 0) as bigint)`.as('points'),
    ]),
);
const deleteBefore = prepared((db, p: { day: bigint; limit: bigint }) => ({
  compile: () =>
    sql`delete from custom_metrics where (account_id, name, labels) in (
      select account_id, name, labels from custom_metrics where day < ${p.day} order by day limit ${p.limit})`.compile(
      db,
    ),
}));

export function customMetricRepository(session: Session) {
  return {
    insert: async (record: MetricSeries) => {
      await series.insert(session, [record]);
    },
    /** Those with one set of labels each, of one name or of all. */
    all: (accountId: AccountId, name?: string) =>
      series.all(session, { accountId, ...(name === undefined ? {} : { name }) }),
    /** Of the account: names, series, the last series' number, and points taken on the day (its beginning). */
    totals: async (accountId: AccountId, day: number) => {
      const row = await totals.first(session, { accountId, day: BigInt(day) });
      const { names = 0n, series: count = 0n, last = null, points = 0n } = row ?? {};
      return { names: Number(names), series: Number(count), last: Number(last ?? 0n), points: Number(points) };
    },
    count: async ({ accountId, name, labels }: MetricSeries, patch: Pick<MetricSeries, 'day' | 'points'>) => {
      await series.update(session, { accountId, name, labels }, patch);
    },
    /** Of every account, so many at once: those that no points were taken of since this day. */
    deleteBefore: async (day: number, limit: number) =>
      Number(await deleteBefore.run(session, { day: BigInt(day), limit: BigInt(limit) })),
  };
}
