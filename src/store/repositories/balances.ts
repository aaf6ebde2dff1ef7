import { type Kysely, sql } from 'kysely';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import type { DatabaseKind, Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import type { Balance } from './wallet-rows.ts';

/** A coinbase output counts as confirmed from its 100th confirmation on: at tip T, when its height is at most T - 99. */
const MATURITY = 100;

interface BalanceRow {
  wallet_id: string;
  confirmed: bigint;
  pending: bigint;
  immature: bigint;
  locked: bigint;
}

/** Sums over the account's live coins in the wallets; the cast makes PostgreSQL's numeric sum an int8 again. */
function sums(
  db: Kysely<Schema>,
  p: { accountId: string; walletIds: string; matureHeight: bigint },
  kind: DatabaseKind,
) {
  return db
    .selectFrom('coins')
    .where(sql`live`, '=', sql.lit(1))
    .where(amongTexts(kind, 'wallet_id', p.walletIds))
    .where('account_id', '=', p.accountId)
    .groupBy('wallet_id')
    .select([
      'wallet_id',
      sql<bigint>`cast(sum(case when height is not null and (coinbase = 0 or height <= ${p.matureHeight})
        then amount_sats else 0 end) as bigint)`.as('confirmed'),
      sql<bigint>`cast(sum(case when height is null then amount_sats else 0 end) as bigint)`.as('pending'),
      sql<bigint>`cast(sum(case when coinbase = 1 and height > ${p.matureHeight}
        then amount_sats else 0 end) as bigint)`.as('immature'),
      sql<bigint>`cast(sum(case when locked = 1 or frozen = 1 then amount_sats else 0 end) as bigint)`.as('locked'),
    ]);
}

const now = prepared((db, p: { accountId: string; walletIds: string; matureHeight: bigint }, kind) =>
  sums(db, p, kind).where('spent_by', 'is', null),
);
/**
 * What claims coins and waits for signatures: the coins are the wallet's until then, and nobody else's payment can have them. Such are
 * payments, offers of contracts (under their holds), and funding transactions that their counterparties are to complete.
 */
export const waitingClaims = (db: Kysely<Schema>, accountId: string) =>
  db
    .selectFrom('transactions')
    .select('transactions.txid')
    .where('transactions.account_id', '=', accountId)
    .where('transactions.status', '=', 'awaiting_signature')
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
        .where('contracts.status', 'in', ['offered', 'accepted', 'signed']),
    );

const claimed = prepared((db, p: { accountId: string; walletIds: string; matureHeight: bigint }, kind) =>
  sums(db, p, kind).where('spent_height', 'is', null).where('spent_by', 'in', waitingClaims(db, p.accountId)),
);
/** Confirmed facts alone: coins in blocks up to the height that no block up to it spent. */
const asOf = prepared((db, p: { accountId: string; walletIds: string; matureHeight: bigint; height: bigint }, kind) =>
  sums(db, p, kind)
    .where('height', '<=', p.height)
    .where((eb) => eb.or([eb('spent_height', 'is', null), eb('spent_height', '>', p.height)])),
);

const toBalance = (row: BalanceRow): Balance => ({
  confirmedSats: row.confirmed,
  pendingSats: row.pending,
  immatureSats: row.immature,
  lockedSats: row.locked,
});
const nothing = (): Balance => ({ confirmedSats: 0n, pendingSats: 0n, immatureSats: 0n, lockedSats: 0n });

/** Balances as of now, of every wallet asked for: zero where it has no coin. */
export async function balancesOf(
  session: Session,
  accountId: string,
  walletIds: readonly string[],
  tipHeight: number,
): Promise<Map<string, Balance>> {
  const matureHeight = BigInt(tipHeight - MATURITY + 1);
  const rows = await now.all(session, { accountId, walletIds: textList(walletIds), matureHeight });
  const balances = new Map(walletIds.map((walletId) => [walletId, nothing()]));
  for (const row of rows) balances.set(row.wallet_id, toBalance(row));
  for (const row of await claimed.all(session, { accountId, walletIds: textList(walletIds), matureHeight })) {
    const free = balances.get(row.wallet_id) ?? nothing();
    balances.set(row.wallet_id, {
      confirmedSats: free.confirmedSats + row.confirmed,
      pendingSats: free.pendingSats + row.pending,
      immatureSats: free.immatureSats + row.immature,
      lockedSats: free.lockedSats + row.confirmed + row.pending + row.immature,
    });
  }
  return balances;
}

export async function balanceAt(
  session: Session,
  accountId: string,
  walletId: string,
  height: number,
): Promise<Balance> {
  const matureHeight = BigInt(height - MATURITY + 1);
  const key = { accountId, walletIds: textList([walletId]), matureHeight, height: BigInt(height) };
  const row = await asOf.first(session, key);
  return row ? toBalance(row) : nothing();
}
