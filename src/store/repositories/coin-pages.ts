/**
 * Pages of a wallet's unspent coins, newest first. How many there are is kept (migrations/0017), and the page is cut along indexes: the cost
 * is that of the page, however many coins the wallet has.
 */

import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { Page, PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { countRows, countUpTo, passRows, type Walk } from '../queries/row-walk.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { waitingClaims } from './balances.ts';
import { type CoinRecord, coins } from './coin-rows.ts';
import { countOf } from './sum-rows.ts';
import { walletSums } from './wallet-sums.ts';

export interface CoinFilter {
  readonly locked?: boolean;
  readonly frozen?: boolean;
  readonly confirmed?: boolean;
  readonly scriptPubKey?: string;
}
interface Owner {
  readonly accountId: AccountId;
  readonly walletId: WalletId;
}
/** Of a script that is not watched any more no address is known. */
export type AddressedCoin = CoinRecord & { readonly address: string | null };

const heldOf = prepared((db, p: Owner) =>
  db
    .selectFrom('coins')
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where('spent_by', 'in', waitingClaims(db, p.accountId))
    .where('spent_height', 'is', null)
    .where(sql`live`, '=', sql.lit(1))
    .select((eb) => eb.fn.countAll<bigint>().as('held')),
);
/** Without filters and held coins: most pages. */
const freeBefore = prepared((db, p: Owner & { before: bigint; limit: bigint }) =>
  withAddress(db)
    .where('coins.coin_id', 'in', (eb) =>
      eb
        .selectFrom('coins')
        .where('wallet_id', '=', p.walletId)
        .where(UNSPENT)
        .where('coin_id', '<', p.before)
        .select('coin_id')
        .orderBy('coin_id', 'desc')
        .limit(p.limit),
    )
    .where('coins.account_id', '=', p.accountId)
    .orderBy('coins.coin_id', 'desc'),
);
const MAX_ID = 2n ** 63n - 1n;

const withAddress = (db: Kysely<Schema>) =>
  db
    .selectFrom('coins')
    .leftJoin('scripts', (join) =>
      join
        .onRef('scripts.script_pubkey', '=', 'coins.script_pubkey')
        .onRef('scripts.wallet_id', '=', 'coins.wallet_id'),
    )
    .selectAll('coins')
    .select('scripts.address');

/** Written as in the indexes coins_unspent, coins_set_aside and coins_unconfirmed: only then does SQLite take them. */
const UNSPENT = sql<SqlBool>`live = 1 and spent_by is null`;
const SET_ASIDE = sql<SqlBool>`(locked = 1 or frozen = 1)`;

function conditionsOf({ locked, frozen, confirmed, scriptPubKey }: CoinFilter): Expression<SqlBool>[] {
  const conditions = [];
  if (locked || frozen) conditions.push(SET_ASIDE);
  if (locked !== undefined) conditions.push(sql<SqlBool>`locked = ${sql.lit(locked ? 1 : 0)}`);
  if (frozen !== undefined) conditions.push(sql<SqlBool>`frozen = ${sql.lit(frozen ? 1 : 0)}`);
  if (confirmed !== undefined)
    conditions.push(confirmed ? sql<SqlBool>`height is not null` : sql<SqlBool>`height is null`);
  if (scriptPubKey !== undefined) conditions.push(sql<SqlBool>`coins.script_pubkey = ${scriptPubKey}`);
  return conditions;
}

export async function listCoins(
  session: Session,
  owner: Owner,
  filter: CoinFilter,
  page: PageRequest,
): Promise<Page<AddressedCoin>> {
  const { db } = session;
  const { accountId, walletId } = owner;
  const conditions = conditionsOf(filter);
  const of = () => {
    const mine = db.selectFrom('coins').where('wallet_id', '=', walletId);
    return conditions.reduce((query, condition) => query.where(condition), mine);
  };
  // Whose they are is asked of the page's rows: passing others takes the index alone.
  const free = () => of().where(UNSPENT);
  /** As the balance counts them. */
  const held = () =>
    of()
      .where('account_id', '=', accountId)
      .where('spent_by', 'in', waitingClaims(db, accountId))
      .where('spent_height', 'is', null)
      .where(sql`live`, '=', sql.lit(1));
  const heldCount =
    conditions.length === 0
      ? ((await heldOf.first(session, owner))?.held ?? 0n)
      : (
          await held()
            .select((eb) => eb.fn.countAll<bigint>().as('held'))
            .executeTakeFirstOrThrow()
        ).held;
  /** Each side comes in its order, and only as far as it is read. */
  const ids = (after: bigint | null, backwards = false) => {
    const some = (matching: ReturnType<typeof of>) =>
      (after === null ? matching : matching.where('coin_id', backwards ? '>' : '<', after)).select('coin_id');
    const all = heldCount === 0n ? some(free()) : some(free()).unionAll(some(held()));
    return all.orderBy('coin_id', backwards ? 'asc' : 'desc');
  };
  const walk: Walk<bigint> = {
    at: async (after, skipped, backwards) =>
      (await ids(after, backwards).limit(1n).offset(skipped).executeTakeFirst())?.coin_id,
    count: (after, most) => countUpTo(db, ids(after), most),
  };
  const { scriptPubKey, ...classes } = filter;
  const { offset, last } = startOf(page);
  /** Of one script they are counted, along its index. */
  const total =
    scriptPubKey === undefined
      ? Number(heldCount) + countOf((await walletSums(session, accountId, walletId)).coins, classes)
      : Number(await countRows(walk));
  // Where none matches, all would be passed to see it.
  if (total === 0) return { data: [], total, limit: page.limit, offset, hasMore: false, nextCursor: null };
  const passed = last ?? (await passRows(walk, BigInt(offset), BigInt(total)));
  // Beyond the last there is nothing: coins have ids from 1 on.
  const after = passed === undefined ? 0n : passed;
  const limit = BigInt(page.limit + 1);
  const found =
    conditions.length === 0 && heldCount === 0n
      ? await freeBefore.all(session, { ...owner, before: after ?? MAX_ID, limit })
      : await withAddress(db)
          .where('coins.coin_id', 'in', ids(after).limit(limit))
          .where('coins.account_id', '=', accountId)
          .orderBy('coins.coin_id', 'desc')
          .execute();
  const kept = found.slice(0, page.limit);
  const hasMore = found.length > page.limit;
  const lowest = kept.at(-1);
  return {
    data: kept.map((row) => ({ ...coins.record(row), address: row.address })),
    total,
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: hasMore && lowest ? encodeCursor('coins', [offset + kept.length, Number(lowest.coin_id)]) : null,
  };
}

/** How many coins are before the page, and, of a cursor, the last of them. */
function startOf({ offset, cursor }: PageRequest): { offset: number; last: bigint | null } {
  if (cursor === undefined) return { offset, last: null };
  const [position, coinId] = decodeCursor('coins', ['count', 'count'], cursor);
  return { offset: position, last: BigInt(coinId) };
}
