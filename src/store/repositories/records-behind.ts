/** The records that metrics of an interval count: as many as are asked for, of all that there are. */
import { type Kysely, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { Sums } from '../../core/metrics/metric-table.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';

interface Asked {
  readonly accountId: AccountId;
  /** Epoch milliseconds; up to `to`, without it. */
  readonly from: bigint;
  readonly to: bigint;
  readonly limit: bigint;
}

interface Row {
  id: string;
  type: string;
  status: string;
  amount: bigint;
  fee: bigint;
  /** 1: it counts at another time than it was recorded. */
  elsewhere: bigint;
}

/** A record, as it counts alone. */
export interface CountedRecord extends Sums {
  readonly id: string;
}

const ZERO = sql`cast(0 as bigint)`;
const ofTransaction = sql`t.txid as id, t.direction as type, t.status as status, t.amount_sats as amount, coalesce(t.fee_sats, 0) as fee`;
const mined = prepared((db: Kysely<Schema>, p: Asked) => ({
  compile: () =>
    // A cross join, for SQLite takes its tables in the order written: first the blocks of the time.
    sql<Row>`select ${ofTransaction}, ${ZERO} as elsewhere from blocks as b cross join transactions as t
      where b.time >= cast(${p.from} as bigint) / 1000 and b.time < cast(${p.to} as bigint) / 1000
        and t.block_height = b.height and t.block_hash = b.hash and t.account_id = ${p.accountId}
      order by b.time desc limit ${p.limit}`.compile(db),
}));
/** The limit comes first: those in a block that was followed are read, and count at its time. */
const recorded = prepared((db: Kysely<Schema>, p: Asked) => ({
  compile: () =>
    sql<Row>`select ${ofTransaction},
        case when exists (select 1 from blocks as b where b.height = t.block_height and b.hash = t.block_hash) then cast(1 as bigint) else ${ZERO} end as elsewhere
      from transactions as t where t.account_id = ${p.accountId} and t.created_at >= ${p.from} and t.created_at < ${p.to}
      order by t.created_at desc limit ${p.limit}`.compile(db),
}));
const contracts = prepared((db: Kysely<Schema>, p: Asked) => ({
  compile: () =>
    sql<Row>`select contract_id as id, '' as type, status, collateral_sats as amount, ${ZERO} as fee, ${ZERO} as elsewhere from contracts
      where account_id = ${p.accountId} and created_at >= ${p.from} and created_at < ${p.to} order by created_at desc limit ${p.limit}`.compile(
      db,
    ),
}));
const approvals = prepared((db: Kysely<Schema>, p: Asked) => ({
  compile: () =>
    sql<Row>`select approval_id as id, operation as type, status, ${ZERO} as amount, ${ZERO} as fee, ${ZERO} as elsewhere from approvals
      where account_id = ${p.accountId} and created_at >= ${p.from} and created_at < ${p.to} order by created_at desc limit ${p.limit}`.compile(
      db,
    ),
}));
const QUESTIONS = { transactions: [mined, recorded], contracts: [contracts], approvals: [approvals] };
export type RecordKind = keyof typeof QUESTIONS;

export function recordsBehindRepository(session: Session) {
  return {
    /** The newest that are counted from `from` (epoch milliseconds) until before `to`; `all`: whether there are no others. */
    of: async (
      { accountId, from, to, limit }: Record<'from' | 'to' | 'limit', number> & { accountId: AccountId },
      kind: RecordKind,
    ) => {
      const asked = { accountId, from: BigInt(from), to: BigInt(to), limit: BigInt(limit) };
      const found: Row[][] = [];
      for (const question of QUESTIONS[kind]) found.push(await question.all(session, asked));
      const records = found
        .flat()
        .flatMap(({ id, type, status, amount, fee, elsewhere }): CountedRecord[] =>
          elsewhere === 1n ? [] : [{ id, type, status, items: 1n, amountSats: amount, feeSats: fee }],
        );
      return { records, all: found.every((rows) => rows.length < limit) };
    },
  };
}
