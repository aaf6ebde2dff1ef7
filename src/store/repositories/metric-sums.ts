/** What metrics are made of. Triggers keep it with the records (migrations/0047): nothing here writes it but for what is deleted by age. */
import { type RawBuilder, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Piece } from '../../core/metrics/buckets.ts';
import type { MetricSource, Sums } from '../../core/metrics/metric-table.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

interface Subject {
  account_id: AccountId;
  /** '' of the whole account. */
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
    metric_changes: Subject & { change_id: bigint; minute: bigint };
  }
}

interface Row extends Omit<Subject, 'account_id' | 'source'> {
  at: bigint;
}

/** Of the piece `at`, and the wallet ('': all). */
export interface FoundSums extends Sums {
  readonly at: number;
  readonly walletId: string;
}

const pieces = (kind: Session['kind'], list: string): RawBuilder<unknown> =>
  kind === 'sqlite'
    ? sql`(select value ->> 0 as at, value ->> 1 as minutes, value ->> 2 as first, value ->> 3 as "end" from json_each(${list}))`
    : sql`(select (value ->> 0)::int8 as at, (value ->> 1)::int8 as minutes, (value ->> 2)::int8 as first, (value ->> 3)::int8 as "end"
        from json_array_elements(${list}::json))`;
const wallets = (kind: Session['kind'], list: string): RawBuilder<unknown> =>
  kind === 'sqlite'
    ? sql`(select value as wallet from json_each(${list}))`
    : sql`(select value as wallet from json_array_elements_text(${list}::json))`;

/** In one statement, which sees what is added to the buckets either there or among the changes. */
const found = prepared<{ accountId: AccountId; source: MetricSource; pieces: string; wallets: string }, Row>(
  (db, p, kind) => ({
    compile: () =>
      sql<Row>`select at, wallet as wallet_id, type, status, cast(sum(items) as bigint) as items,
          cast(sum(amount_sats) as bigint) as amount_sats, cast(sum(fee_sats) as bigint) as fee_sats
        from (
          select piece.at as at, asked.wallet as wallet, type, status, items, amount_sats, fee_sats
            from ${wallets(kind, p.wallets)} as asked cross join ${pieces(kind, p.pieces)} as piece cross join metric_sums as sums
            where sums.account_id = ${p.accountId} and sums.wallet_id = asked.wallet and sums.source = ${p.source}
              and sums.minutes = piece.minutes and sums.bucket >= piece.first and sums.bucket < piece."end"
          union all
          select piece.at, asked.wallet, type, status, items, amount_sats, fee_sats
            from metric_changes as changes cross join ${wallets(kind, p.wallets)} as asked
              cross join ${pieces(kind, p.pieces)} as piece
            where changes.account_id = ${p.accountId} and changes.source = ${p.source}
              and (asked.wallet = '' or changes.wallet_id = asked.wallet)
              and changes.minute >= piece.first and changes.minute < piece."end"
        ) as counted group by at, wallet, type, status
        having sum(items) <> 0 or sum(amount_sats) <> 0 or sum(fee_sats) <> 0`.compile(db),
  }),
);
/** The length is written as in the index: only then is that taken. */
const deleteMinutes = prepared((db, p: { before: bigint; limit: bigint }) => ({
  compile: () =>
    sql`delete from metric_sums where (account_id, wallet_id, source, minutes, bucket, type, status) in (
      select account_id, wallet_id, source, minutes, bucket, type, status from metric_sums
        where minutes = 1 and bucket < ${p.before} order by bucket limit ${p.limit})`.compile(db),
}));

export function metricSumRepository(session: Session) {
  return {
    /** Each piece's, by wallet, type and status; what came to nothing is left out. No wallets: of the whole account. */
    of: async (
      accountId: AccountId,
      asked: { source: MetricSource; pieces: readonly Piece[]; wallets?: readonly WalletId[] | undefined },
    ): Promise<FoundSums[]> => {
      const list = JSON.stringify(asked.pieces.map(({ at, minutes, first, end }) => [at, minutes, first, end]));
      const of = JSON.stringify(asked.wallets ?? ['']);
      const rows = await found.all(session, { accountId, source: asked.source, pieces: list, wallets: of });
      return rows.map((row) => ({
        ...{ at: Number(row.at), walletId: row.wallet_id, type: row.type, status: row.status },
        ...{ items: row.items, amountSats: row.amount_sats, feeSats: row.fee_sats },
      }));
    },
    /** Buckets of a minute, of every account, before this one (minutes since the epoch), so many at once; answers how many. */
    deleteMinutes: async (before: number, limit: number) =>
      Number(await deleteMinutes.run(session, { before: BigInt(before), limit: BigInt(limit) })),
  };
}
