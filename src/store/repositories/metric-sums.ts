/** What metrics are made of. Triggers keep it with the records (migrations/0047): requests and points, of which there are no records, are noted here. */
import { type Generated, type RawBuilder, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { Piece } from '../../core/metrics/buckets.ts';
import type { CustomName, MetricSource, requestStatus, Sums } from '../../core/metrics/metric-table.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

interface Subject {
  account_id: AccountId;
  /** '' of the whole account; of requests a credential. */
  wallet_id: string;
  source: string;
  type: string;
  status: string;
  items: bigint;
  amount_sats: bigint;
  fee_sats: bigint;
}

declare module '../schema.ts' {
  interface Schema {
    /** `minutes`: the bucket's length; `bucket`: its beginning, minutes since the epoch. */
    metric_sums: Subject & { minutes: bigint; bucket: bigint };
    /** What is not in the buckets yet, of a wallet or of none. */
    metric_changes: Subject & { change_id: Generated<bigint>; minute: bigint };
  }
}

interface Row extends Omit<Subject, 'account_id' | 'source'> {
  at: bigint;
}

/** Of the piece `at`. */
export interface FoundSums extends Sums {
  readonly at: number;
  /** The wallet or credential; '': all. */
  readonly ofId: string;
}

const pieces = (kind: Session['kind'], list: string): RawBuilder<unknown> =>
  kind === 'sqlite'
    ? sql`(select value ->> 0 as at, value ->> 1 as minutes, value ->> 2 as first, value ->> 3 as "end", value ->> 4 as sign
        from json_each(${list}))`
    : sql`(select (value ->> 0)::int8 as at, (value ->> 1)::int8 as minutes, (value ->> 2)::int8 as first, (value ->> 3)::int8 as "end",
        (value ->> 4)::int8 as sign from json_array_elements(${list}::json))`;
const wallets = (kind: Session['kind'], list: string): RawBuilder<unknown> =>
  kind === 'sqlite'
    ? sql`(select value as wallet from json_each(${list}))`
    : sql`(select value as wallet from json_array_elements_text(${list}::json))`;

/** In one statement, which sees what is added to the buckets either there or among the changes. */
const found = prepared<{ accountId: AccountId; source: string; pieces: string; wallets: string }, Row>(
  (db, p, kind) => ({
    compile: () =>
      sql<Row>`select at, wallet as wallet_id, type, status, cast(sum(items) as bigint) as items,
          cast(sum(amount_sats) as bigint) as amount_sats, cast(sum(fee_sats) as bigint) as fee_sats
        from (
          select piece.at as at, asked.wallet as wallet, type, status,
              sign * items as items, sign * amount_sats as amount_sats, sign * fee_sats as fee_sats
            from ${wallets(kind, p.wallets)} as asked cross join ${pieces(kind, p.pieces)} as piece cross join metric_sums as sums
            where sums.account_id = ${p.accountId} and sums.wallet_id = asked.wallet and sums.source = ${p.source}
              and sums.minutes = piece.minutes and sums.bucket >= piece.first and sums.bucket < piece."end"
          union all
          select piece.at, asked.wallet, type, status, sign * items, sign * amount_sats, sign * fee_sats
            from metric_changes as changes cross join ${wallets(kind, p.wallets)} as asked
              cross join ${pieces(kind, p.pieces)} as piece
            where changes.account_id = ${p.accountId} and changes.source = ${p.source}
              and (asked.wallet = '' or changes.wallet_id = asked.wallet)
              and changes.minute >= piece.first and changes.minute < piece."end"
        ) as counted group by at, wallet, type, status
        having sum(items) <> 0 or sum(amount_sats) <> 0 or sum(fee_sats) <> 0`.compile(db),
  }),
);
/** The condition is written as in the index: only then is that taken. */
const deleteBefore = (condition: string) =>
  prepared((db, p: { before: bigint; limit: bigint }) => ({
    compile: () =>
      sql`delete from metric_sums where (account_id, wallet_id, source, minutes, bucket, type, status) in (
        select account_id, wallet_id, source, minutes, bucket, type, status from metric_sums
          where ${sql.raw(condition)} and bucket < ${p.before} order by bucket limit ${p.limit})`.compile(db),
  }));
const deleteMinutes = deleteBefore('minutes = 1');
const deleteRequests = deleteBefore(`source = 'request'`);
const deleteCustom = deleteBefore(`substr(source, 1, 7) = 'custom.'`);

const note = insertRows('metric_changes', [
  ...(['account_id', 'wallet_id', 'source', 'minute', 'type', 'status', 'items', 'amount_sats', 'fee_sats'] as const),
]);
/** On SQLite a trigger does. */
const addUp = prepared((db, p: { accounts: string }) => ({
  compile: () =>
    sql<never>`select add_up_metrics(account) from json_array_elements_text(${p.accounts}::json) as account`.compile(
      db,
    ),
}));

/** Requests that were answered in a minute (since the epoch), of one class of durations (its bound, ms) and status. */
export interface RequestCount {
  readonly accountId: AccountId;
  /** Who asked; '' where that is not kept. */
  readonly credentialId: string;
  readonly minute: number;
  readonly bound: number;
  readonly status: ReturnType<typeof requestStatus>;
  readonly requests: number;
}

/** A value of a metric of the account's own; `series` numbers its labels. */
export interface MetricPoint {
  readonly accountId: AccountId;
  readonly source: CustomName;
  readonly series: number;
  readonly minute: number;
  readonly whole: bigint;
  readonly fraction: bigint;
}

export function metricSumRepository(session: Session) {
  async function noteAll(rows: Parameters<typeof note>[1]): Promise<void> {
    await note(session, rows);
    const accounts = JSON.stringify([...new Set(rows.map((row) => row.account_id))]);
    if (session.kind === 'postgres') await addUp.all(session, { accounts });
  }
  return {
    /** Each piece's, by wallet, type and status; what came to nothing is left out. No wallets: of the whole account. Of requests they are credentials. */
    of: async (
      accountId: AccountId,
      asked: { source: MetricSource | CustomName; pieces: readonly Piece[]; wallets?: readonly string[] | undefined },
    ): Promise<FoundSums[]> => {
      const list = JSON.stringify(
        asked.pieces.map(({ at, minutes, first, end, sign }) => [at, minutes, first, end, sign]),
      );
      const of = JSON.stringify(asked.wallets ?? ['']);
      const rows = await found.all(session, { accountId, source: asked.source, pieces: list, wallets: of });
      return rows.map((row) => ({
        ...{ at: Number(row.at), ofId: row.wallet_id, type: row.type, status: row.status },
        ...{ items: row.items, amountSats: row.amount_sats, feeSats: row.fee_sats },
      }));
    },
    /** Added to those of their minute. */
    addRequests: async (counts: readonly RequestCount[]) => {
      const none = { amount_sats: 0n, fee_sats: 0n };
      const rows = counts.map(({ accountId, credentialId, minute, bound, status, requests }) => ({
        ...{
          account_id: accountId,
          wallet_id: credentialId,
          source: 'request',
          minute: BigInt(minute),
          type: `${bound}`,
          status,
        },
        ...{ ...none, items: BigInt(requests) },
      }));
      await noteAll(rows);
    },
    /** Counts in its minute, whenever that was. */
    addPoint: async ({ accountId, source, series, minute, whole, fraction }: MetricPoint) => {
      const of = { account_id: accountId, wallet_id: '', source, type: `${series}`, status: '' };
      await noteAll([{ ...of, minute: BigInt(minute), items: 1n, amount_sats: whole, fee_sats: fraction }]);
    },
    /** Buckets of a minute, of every account, before this one (minutes since the epoch), so many at once; answers how many. */
    deleteMinutes: async (before: number, limit: number) =>
      Number(await deleteMinutes.run(session, { before: BigInt(before), limit: BigInt(limit) })),
    /** The same of all buckets of requests. */
    deleteRequests: async (before: number, limit: number) =>
      Number(await deleteRequests.run(session, { before: BigInt(before), limit: BigInt(limit) })),
    /** And of accounts' own metrics. */
    deleteCustom: async (before: number, limit: number) =>
      Number(await deleteCustom.run(session, { before: BigInt(before), limit: BigInt(limit) })),
  };
}
