import { type Kysely, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { coinClass, FIRST_OF_SCRIPTS } from './sum-rows.ts';
import type { Balance } from './wallet-rows.ts';

/** A coinbase output counts as confirmed from its 100th confirmation on: at tip T, when its height is at most T - 99. */
const MATURITY = 100;

/**
 * What claims coins and waits for approval or signatures: the coins are the wallet's until then, and nobody else's payment can have them. Such are
 * payments, offers of contracts (under their holds), and funding transactions that their counterparties are to complete.
 */
export const waitingClaims = (db: Kysely<Schema>, accountId: AccountId) =>
  db
    .selectFrom('transactions')
    .select('transactions.txid')
    .where('transactions.account_id', '=', accountId)
    .where('transactions.status', 'in', ['awaiting_approval', 'awaiting_signature'])
    .unionAll(
      db
        .selectFrom('transactions')
        .select('transactions.txid')
        .where('transactions.account_id', '=', accountId)
        .where('transactions.status', '=', 'signed')
        .where('transactions.contract_kind', '=', 'funding')
        .where('transactions.raw', 'is', null),
    )
    .unionAll(
      db
        .selectFrom('contracts')
        .select('contracts.coin_hold as txid')
        .where('contracts.account_id', '=', accountId)
        .where('contracts.status', 'in', ['awaiting_approval', 'offered', 'accepted', 'signed']),
    );

/** Beside the classes that are kept (sum-rows.ts). */
const IMMATURE = -1n;
const CLAIMED = { pending: -2n, immature: -3n, confirmed: -4n };

/**
 * What is kept of unspent coins, with what depends on the tip or on others' state, in one snapshot: coinbase outputs that are not mature, of
 * 99 blocks at most and along an index of their own, and coins that are claimed by what waits.
 */
const now = prepared((db, p: { accountId: AccountId; walletIds: string; matureHeight: bigint }, kind) =>
  db
    .selectFrom('wallet_sums')
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'wallet_id', p.walletIds))
    .where('class', '<', FIRST_OF_SCRIPTS)
    .select(['wallet_id', 'class', 'amount_sats as amount'])
    .unionAll(
      db
        .selectFrom('coins')
        .where(sql<boolean>`coinbase = 1 and live = 1 and spent_by is null and height is not null`)
        .where(amongTexts(kind, 'wallet_id', p.walletIds))
        .where('height', '>', p.matureHeight)
        .where('account_id', '=', p.accountId)
        .groupBy('wallet_id')
        .select([
          'wallet_id',
          sql<bigint>`${sql.lit(Number(IMMATURE))}`.as('class'),
          // A wallet that mines may have a hundred thousand of them: as rows they cost several times as much.
          sql<bigint>`cast(sum(amount_sats) as bigint)`.as('amount'),
        ]),
    )
    .unionAll(
      db
        .selectFrom('coins')
        .where('spent_by', 'in', waitingClaims(db, p.accountId))
        .where('spent_height', 'is', null)
        .where(sql`live`, '=', sql.lit(1))
        .where(amongTexts(kind, 'wallet_id', p.walletIds))
        .where('account_id', '=', p.accountId)
        .select([
          'wallet_id',
          sql<bigint>`case when height is null then ${sql.lit(Number(CLAIMED.pending))}
            when coinbase = 1 and height > ${p.matureHeight} then ${sql.lit(Number(CLAIMED.immature))}
            else ${sql.lit(Number(CLAIMED.confirmed))} end`.as('class'),
          'amount_sats as amount',
        ]),
    ),
);
/** Confirmed facts alone: coins in blocks above `after` and up to `upTo`, that no block up to `height` spent. The cast makes PostgreSQL's sum an int8 again. */
const asOf = prepared(
  (
    db,
    p: { accountId: AccountId; walletId: WalletId; matureHeight: bigint; height: bigint; after: bigint; upTo: bigint },
  ) =>
    db
      .selectFrom('coins')
      .where(sql`live`, '=', sql.lit(1))
      .where('wallet_id', '=', p.walletId)
      .where('account_id', '=', p.accountId)
      .where('height', '>', p.after)
      .where('height', '<=', p.upTo)
      .where((eb) => eb.or([eb('spent_height', 'is', null), eb('spent_height', '>', p.height)]))
      .select([
        sql<bigint>`cast(coalesce(sum(case when coinbase = 0 or height <= ${p.matureHeight}
          then amount_sats end), 0) as bigint)`.as('confirmed'),
        sql<bigint>`cast(coalesce(sum(case when coinbase = 1 and height > ${p.matureHeight}
          then amount_sats end), 0) as bigint)`.as('immature'),
        sql<bigint>`cast(coalesce(sum(case when locked = 1 or frozen = 1 then amount_sats end), 0) as bigint)`.as(
          'locked',
        ),
      ]),
);
/** Coins that one statement adds up, and those of one block more: SQLite takes up to 3 microseconds for each, in the serving thread. */
const AT_ONCE = 1_000n;
const heightBehind = prepared((db, p: { walletId: WalletId; after: bigint; height: bigint }) =>
  db
    .selectFrom('coins')
    .where(sql`live`, '=', sql.lit(1))
    .where('wallet_id', '=', p.walletId)
    .where('height', '>', p.after)
    .where('height', '<', p.height)
    .orderBy('height')
    .limit(1n)
    .offset(AT_ONCE)
    .select(sql<bigint>`height`.as('height')),
);
const hashAt = prepared((db, p: { height: bigint }) =>
  db.selectFrom('blocks').where('height', '=', p.height).select('hash'),
);

const nothing = (): Balance => ({ confirmedSats: 0n, pendingSats: 0n, immatureSats: 0n, lockedSats: 0n });

/** Immature ones are among the confirmed of the classes. */
function add(balance: Balance, { class: of, amount }: { class: bigint; amount: bigint }): void {
  if (of === IMMATURE) {
    balance.immatureSats += amount;
    balance.confirmedSats -= amount;
    return;
  }
  const claimed = of < 0n;
  const { confirmed, locked, frozen } = coinClass(of);
  if (of === CLAIMED.immature) balance.immatureSats += amount;
  else if (claimed ? of === CLAIMED.confirmed : confirmed) balance.confirmedSats += amount;
  else balance.pendingSats += amount;
  if (claimed || locked || frozen) balance.lockedSats += amount;
}

/** Balances as of now, of every wallet asked for: zero where it has no coin. */
export async function balancesOf(
  session: Session,
  accountId: AccountId,
  walletIds: readonly string[],
  tipHeight: number,
): Promise<Map<string, Balance>> {
  const matureHeight = BigInt(tipHeight - MATURITY + 1);
  const balances = new Map(walletIds.map((walletId) => [walletId, nothing()]));
  for (const row of await now.all(session, { accountId, walletIds: textList(walletIds), matureHeight })) {
    const balance = balances.get(row.wallet_id);
    if (balance) add(balance, row);
  }
  return balances;
}

/**
 * In steps of whole blocks, where there are many coins. No coin of theirs changes but by a reorg, after which another block is at that height:
 * then they are added up again.
 */
export async function balanceAt(
  session: Session,
  accountId: AccountId,
  walletId: WalletId,
  at: number,
): Promise<Balance> {
  const height = BigInt(at);
  const matureHeight = BigInt(at - MATURITY + 1);
  const pause = createYielder();
  for (;;) {
    const block = (await hashAt.first(session, { height }))?.hash;
    const balance = nothing();
    for (let after = -1n; after < height; await pause()) {
      const upTo = (await heightBehind.first(session, { walletId, after, height }))?.height ?? height;
      const row = await asOf.first(session, { accountId, walletId, matureHeight, height, after, upTo });
      balance.confirmedSats += row!.confirmed;
      balance.immatureSats += row!.immature;
      balance.lockedSats += row!.locked;
      after = upTo;
    }
    if ((await hashAt.first(session, { height }))?.hash === block) return balance;
  }
}
