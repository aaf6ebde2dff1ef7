/** Some coins of a wallet that has more than a payment looks at. Reading them takes as long with 100,000 coins as with 1,000. */

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Near } from '../../core/payments/coins-wanted.ts';
import type { CoinSums } from '../../core/payments/spendable-coins.ts';
import { TRUC_VERSION } from '../../core/relay-policy/truc.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import { prepared } from '../queries/prepared.ts';
import type { DatabaseKind, Session } from '../queries/session.ts';
import type { CoinRecord } from '../records.ts';
import type { Schema } from '../schema.ts';
import { coins } from './coin-rows.ts';

type Row = Parameters<typeof coins.record>[0] & { readonly coin_id: bigint };

/** What may be spent: of confirmed coins those in blocks up to `deepest`, of mining rewards up to `mature`; of unconfirmed ones whose. */
export interface Spendable {
  readonly deepest: number;
  readonly mature: number;
  readonly unconfirmed: 'none' | 'own' | 'all';
}

export interface PoolRequest extends Spendable {
  /** So many of the confirmed ones, and of the unconfirmed ones. */
  readonly largest: number;
  readonly largestUnconfirmed: number;
  /** Places between the oldest coin (0) and the newest (1), from each of which on the next one is taken. */
  readonly places: readonly number[];
}

/** Of one script so many are read beside those that were picked: as many as are spent together. */
const OF_ONE_SCRIPT = 100;
/** Coins that come along since they share a script with what was picked. */
const MAX_SIBLINGS = 600;
/** Coins summed in one statement. */
const SUMMED = 5_000n;

const raw = <P extends object, R>(build: (p: Readonly<P>, kind: DatabaseKind) => RawBuilder<R>) =>
  prepared((db: Kysely<Schema>, p: Readonly<P>, kind) => ({ compile: () => build(p, kind).compile(db) }));

/** Conditions as the indexes have them (migration 18), written out: only then are these taken. */
const unspent = (walletId: WalletId, of: 'c' | 'd' = 'c') =>
  sql`${sql.raw(`${of}.live = 1 and ${of}.spent_by is null and ${of}.wallet_id =`)} ${walletId}`;
const inBlocks = (walletId: WalletId) =>
  sql`${unspent(walletId)} and c.locked = 0 and c.frozen = 0 and c.height is not null`;
const inNoBlock = (walletId: WalletId) =>
  sql`${unspent(walletId)} and c.locked = 0 and c.frozen = 0 and c.height is null`;

interface Asked {
  readonly accountId: AccountId;
  readonly walletId: WalletId;
  readonly deepest: bigint;
  readonly mature: bigint;
  /** 0: one who makes a payment spends no unconfirmed coin of that kind. */
  readonly own: bigint;
  readonly foreign: bigint;
}
/** With `+`, SQLite looks up coins in no index by height: it would sort all of them by amount, as it does not see the value behind LIMIT. */
const deep = (p: Pick<Asked, 'deepest' | 'mature'>) =>
  sql`+c.height <= ${p.deepest} and (c.coinbase = 0 or +c.height <= ${p.mature})`;
const ours = (p: Pick<Asked, 'own' | 'foreign'>) =>
  sql`case when c.own = 1 then cast(${p.own} as bigint) else cast(${p.foreign} as bigint) end = 1`;

const few = raw(
  (p: { accountId: AccountId; walletId: WalletId; most: bigint }) =>
    sql<Row>`select c.* from (select 1 as one where not exists
        (select 1 from coins as d where ${unspent(p.walletId, 'd')} order by d.coin_id limit 1 offset ${p.most})) as small
      cross join coins as c where ${unspent(p.walletId)}
        and c.account_id = ${p.accountId} and c.locked = 0 and c.frozen = 0 order by c.coin_id`,
);

const pool = raw((p: Asked & { largest: bigint; largestUnconfirmed: bigint; places: string }, kind) => {
  const place = kind === 'sqlite' ? sql`j.value` : sql`j.value::float8`;
  const places =
    kind === 'sqlite'
      ? sql`json_each(${p.places}) as j`
      : sql`json_array_elements_text(${p.places}::json) as j (value)`;
  const end = (which: 'min' | 'max') =>
    sql`(select ${sql.raw(which)}(c.coin_id) from coins as c where ${unspent(p.walletId)})`;
  return sql<Row>`select c.* from coins as c where c.account_id = ${p.accountId} and c.locked = 0 and c.frozen = 0
    and c.coin_id in (
      select coin_id from (select c.coin_id from coins as c where ${inBlocks(p.walletId)} and ${deep(p)}
        order by c.amount_sats desc, c.coin_id desc limit ${p.largest}) as largest
      union select coin_id from (select c.coin_id from coins as c where ${inNoBlock(p.walletId)} and ${ours(p)}
        order by c.amount_sats desc, c.coin_id desc limit ${p.largestUnconfirmed}) as unconfirmed
      union select (select c.coin_id from coins as c where ${unspent(p.walletId)}
          and c.coin_id >= ends.oldest + cast(${place} * (ends.newest - ends.oldest) as bigint)
          order by c.coin_id limit 1)
        from (select ${end('min')} as oldest, ${end('max')} as newest) as ends cross join ${places})`;
});

/** Amounts that coins are sought next to in one statement. */
const AMOUNTS = 4;
type Beside = Record<`${'at' | 'above' | 'below'}${number}`, bigint>;
const near = raw((p: Asked & Beside) => {
  const sides = Array.from({ length: AMOUNTS }, (_, n) => [
    sql`select coin_id from (select c.coin_id from coins as c where ${inBlocks(p.walletId)} and ${deep(p)}
      and c.amount_sats >= ${p[`at${n}`]} order by c.amount_sats, c.coin_id limit ${p[`above${n}`]}) as ${sql.ref(`above${n}`)}`,
    sql`select coin_id from (select c.coin_id from coins as c where ${inBlocks(p.walletId)} and ${deep(p)}
      and c.amount_sats < ${p[`at${n}`]} order by c.amount_sats desc, c.coin_id desc limit ${p[`below${n}`]}) as ${sql.ref(`below${n}`)}`,
  ]).flat();
  return sql<Row>`select c.* from coins as c where c.account_id = ${p.accountId}
    and c.coin_id in (${sql.join(sides, sql` union `)})`;
});

/** Other coins of scripts, in the order of these. */
const siblings = raw(
  (p: { walletId: WalletId; accountId: AccountId; scripts: string; known: string; limit: bigint }, kind) => {
    const sqlite = kind === 'sqlite';
    const scripts = sqlite
      ? sql`json_each(${p.scripts}) as s`
      : sql`json_array_elements(${p.scripts}::json) with ordinality as s (value, key)`;
    const known = sqlite
      ? sql`select value from json_each(${p.known})`
      : sql`select value::int8 from json_array_elements_text(${p.known}::json)`;
    const [index, change] = sqlite
      ? [sql`s.value ->> 0`, sql`s.value ->> 1`]
      : [sql`(s.value ->> 0)::int8`, sql`(s.value ->> 1)::int8`];
    return sql<Row>`select c.* from ${scripts} cross join coins as c
      where ${unspent(p.walletId)} and c.derivation_index = ${index} and c.change = ${change}
        and c.coin_id <= coalesce((select d.coin_id from coins as d where ${unspent(p.walletId, 'd')}
          and d.derivation_index = ${index} and d.change = ${change}
          order by d.coin_id limit 1 offset ${sql.raw(`${OF_ONE_SCRIPT}`)}), 9223372036854775807)
        and c.coin_id not in (${known}) and c.account_id = ${p.accountId} and c.locked = 0 and c.frozen = 0
      ${sqlite ? sql`` : sql`order by s.key, c.coin_id`} limit ${p.limit}`;
  },
);

/** Behind which coin of the order by amount and id one stands. */
interface Place {
  readonly amount_sats: bigint;
  readonly coin_id: bigint;
}
/**
 * The next coins in that order. A comparison `(amount_sats, coin_id) > (?, ?)` SQLite would look up by the amount alone, as `coin_id` is the
 * table's key: of 100,000 equal amounts all would be passed each time.
 */
const nextBy = (coinsOf: RawBuilder<unknown>, columns: string, { amount_sats: sats, coin_id: id }: Place) => {
  const those = (behind: RawBuilder<unknown>) =>
    sql`select ${sql.raw(`c.amount_sats, c.coin_id, ${columns}`)} from coins as c where ${coinsOf} and ${behind}`;
  return sql`${those(sql`c.amount_sats = ${sats} and c.coin_id > ${id}`)}
    union all ${those(sql`c.amount_sats > ${sats}`)} order by amount_sats, coin_id`;
};

interface SumRow {
  readonly count: bigint;
  readonly sats: bigint;
  readonly worthwhile_count: bigint;
  readonly worthwhile: bigint;
  readonly truc: bigint;
  readonly immature: bigint;
  readonly held: bigint;
}
const sumOf = (condition: RawBuilder<unknown>, what = 'c.amount_sats') =>
  sql`cast(coalesce(sum(case when ${condition} then ${sql.raw(what)} else 0 end), 0) as bigint)`;
const sums = (
  p: { least: bigint },
  may: RawBuilder<unknown>,
  { truc = sql`1 = 0`, immature = sql`1 = 0` }: { truc?: RawBuilder<unknown>; immature?: RawBuilder<unknown> },
) => {
  const worthwhile = sql`${may} and c.amount_sats > ${p.least} and not (${truc})`;
  return sql<SumRow>`select ${sumOf(may, '1')} as count, ${sumOf(may)} as sats,
    ${sumOf(worthwhile, '1')} as worthwhile_count, ${sumOf(worthwhile)} as worthwhile,
    ${sumOf(sql`${may} and ${truc}`)} as truc, ${sumOf(immature)} as immature,
    cast(coalesce(sum(c.amount_sats), 0) as bigint) as held`;
};
/** Confirmed coins, unconfirmed ones: a part of them summed, and the last of that part. */
const SIDES = [
  {
    sum: raw(
      (p: Asked & Place & { least: bigint }) =>
        sql<SumRow>`${sums(p, deep(p), { immature: sql`c.coinbase = 1 and c.height > ${p.mature}` })}
          from (${nextBy(inBlocks(p.walletId), 'c.coinbase, c.height', p)} limit ${SUMMED}) as c`,
    ),
    coins: inBlocks,
  },
  {
    sum: raw(
      (p: Asked & Place & { least: bigint }) =>
        sql<SumRow>`${sums(p, ours(p), { truc: sql.raw(`c.tx_version = ${TRUC_VERSION}`) })}
          from (${nextBy(inNoBlock(p.walletId), 'c.own, c.tx_version', p)} limit ${SUMMED}) as c`,
    ),
    coins: inNoBlock,
  },
].map(({ sum, coins }) => ({
  sum,
  last: raw(
    (p: Place & { walletId: WalletId }) =>
      sql<Place>`${nextBy(coins(p.walletId), 'c.live', p)} limit 1 offset ${SUMMED - 1n}`,
  ),
}));

const asked = (accountId: AccountId, walletId: WalletId, { deepest, mature, unconfirmed }: Spendable): Asked => ({
  ...{ accountId, walletId, deepest: BigInt(deepest), mature: BigInt(mature) },
  own: unconfirmed === 'none' ? 0n : 1n,
  foreign: unconfirmed === 'all' ? 1n : 0n,
});

/**
 * The coins with the others of their scripts, the largest first. Where those are too many, `whole` leaves out the scripts of which not all
 * were read.
 */
async function withSiblings(
  session: Session,
  { accountId, walletId }: Asked,
  rows: Row[],
  whole: boolean,
): Promise<Row[]> {
  const scriptOf = (row: Row) => `${row.derivation_index} ${row.change}`;
  rows.sort((a, b) => (a.amount_sats > b.amount_sats ? -1 : 1));
  const scripts = new Map(rows.map((row) => [scriptOf(row), [Number(row.derivation_index), Number(row.change)]]));
  if (rows.length === 0) return rows;
  const pause = createYielder(0);
  await pause();
  const found = await siblings.all(session, {
    ...{ accountId, walletId, limit: BigInt(MAX_SIBLINGS) },
    scripts: JSON.stringify([...scripts.values()]),
    known: JSON.stringify(rows.map((row) => Number(row.coin_id))),
  });
  await pause();
  const all = [...rows, ...found];
  if (!whole || found.length < MAX_SIBLINGS) return all;
  const order = [...scripts.keys()];
  const read = new Set(order.slice(0, order.indexOf(scriptOf(found.at(-1)!))));
  return all.filter((row) => read.has(scriptOf(row)));
}

const inOrder = (rows: Row[]): CoinRecord[] =>
  rows.sort((a, b) => Number(a.coin_id - b.coin_id)).map((row) => coins.record(row));

export function coinPoolRepository(session: Session) {
  return {
    /** All coins that selection may see, as `spendable`; none of a wallet that has more than `most` unspent ones. Hot path. */
    few: async (accountId: AccountId, walletId: WalletId, most: number) =>
      (await few.all(session, { accountId, walletId, most: BigInt(most) })).map(coins.record),
    /**
     * The largest coins and some of the others, with the rest of their scripts' coins: of each script at least as many as are spent together.
     * `partly`: scripts may be there without all of these.
     */
    pool: async (accountId: AccountId, walletId: WalletId, request: PoolRequest, { partly }: { partly: boolean }) => {
      const of = asked(accountId, walletId, request);
      const rows = await pool.all(session, {
        ...of,
        largest: BigInt(request.largest),
        largestUnconfirmed: of.own === 0n ? 0n : BigInt(request.largestUnconfirmed),
        places: JSON.stringify(request.places),
      });
      return inOrder(await withSiblings(session, of, rows, !partly));
    },
    /** Confirmed coins next to up to four amounts, with the rest of their scripts' coins. */
    near: async (accountId: AccountId, walletId: WalletId, spendable: Spendable, amounts: readonly Near[]) => {
      const of = asked(accountId, walletId, spendable);
      const beside: Beside = {};
      for (let n = 0; n < AMOUNTS; n++) {
        const { amountSats = 0n, above = 0, below = 0 } = amounts[n] ?? {};
        Object.assign(beside, { [`at${n}`]: amountSats, [`above${n}`]: BigInt(above), [`below${n}`]: BigInt(below) });
      }
      return inOrder(await withSiblings(session, of, await near.all(session, { ...of, ...beside }), true));
    },
    /** Goes through all coins, a part at a time. `leastSats`: those above it are worthwhile. */
    sums: async (
      accountId: AccountId,
      walletId: WalletId,
      spendable: Spendable,
      leastSats: bigint,
    ): Promise<CoinSums> => {
      const of = { ...asked(accountId, walletId, spendable), least: leastSats };
      const pause = createYielder(0);
      const parts: (SumRow | null)[] = [];
      for (const side of SIDES) {
        let place: Place | null = { amount_sats: -1n, coin_id: 0n };
        while (place !== null) {
          parts.push(await side.sum.first(session, { ...of, ...place }));
          place = await side.last.first(session, { walletId, ...place });
          await pause();
        }
      }
      const sum = (column: keyof SumRow) => parts.reduce((total, part) => total + (part?.[column] ?? 0n), 0n);
      return {
        spendable: { count: Number(sum('count')), sats: sum('sats') },
        worthwhile: { count: Number(sum('worthwhile_count')), sats: sum('worthwhile') },
        trucSats: sum('truc'),
        immatureSats: sum('immature'),
        unconfirmedSats: sum('held') - sum('sats') - sum('immature'),
      };
    },
  };
}
