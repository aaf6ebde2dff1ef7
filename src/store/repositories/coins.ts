import { sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { type Outpoint, outpointKey, type Txid } from '../../core/outpoint.ts';
import { amongOutpoints, amongTexts, outpointList, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { balanceAt, balancesOf } from './balances.ts';
import { type CoinFilter, listCoins } from './coin-pages.ts';
import { coinPoolRepository } from './coin-pools.ts';
import { coins, toOutpoint } from './coin-rows.ts';

const findMany = prepared((db, p: { accountId: AccountId; outpoints: string }, kind) =>
  db
    .selectFrom('coins')
    .selectAll()
    .where(amongOutpoints(kind, 'txid', 'vout', p.outpoints))
    .where('account_id', '=', p.accountId)
    .orderBy('coin_id'),
);
/**
 * The condition and the claim are one statement: of two payments that want a coin, in one process or in two, the second finds
 * `spent_by` taken.
 */
const claimCoins = prepared((db, p: { accountId: AccountId; outpoints: string; by: Txid; replacing: string }, kind) =>
  db
    .updateTable('coins')
    .set({ spent_by: p.by, spent_height: null })
    .where(amongOutpoints(kind, 'txid', 'vout', p.outpoints))
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`live = 1`)
    .where('spent_height', 'is', null)
    .where((eb) => eb.or([eb('spent_by', 'is', null), amongTexts(kind, 'spent_by', p.replacing)]))
    .returningAll(),
);
const releaseCoins = prepared((db, p: { accountId: AccountId; by: Txid; restoreTo: Txid | null }) =>
  db
    .updateTable('coins')
    .set({ spent_by: p.restoreTo, spent_height: null })
    .where('spent_by', '=', p.by)
    .where('account_id', '=', p.accountId)
    .returning(['txid', 'vout']),
);

export function coinRepository(session: Session) {
  async function claimed(
    accountId: AccountId,
    outpoints: readonly Outpoint[],
    by: Txid,
    replacing: readonly Txid[] = [],
  ) {
    const ordered = [...outpoints].sort((a, b) => (outpointKey(a) < outpointKey(b) ? -1 : 1));
    const rows = await claimCoins.all(session, {
      accountId,
      outpoints: outpointList(ordered),
      by,
      replacing: textList(replacing),
    });
    return rows.map(coins.record);
  }

  return {
    ...coinPoolRepository(session),
    /** As `claim`; answers the coins that were claimed. */
    claimed,
    findMany: async (accountId: AccountId, outpoints: readonly Outpoint[]) =>
      (await findMany.all(session, { accountId, outpoints: outpointList(outpoints) })).map(coins.record),
    /** Live unspent coins, held ones too, newest first, with their addresses. */
    list: (accountId: AccountId, walletId: WalletId, filter: CoinFilter, page: PageRequest) =>
      listCoins(session, { accountId, walletId }, filter, page),
    /** Of live coins as of now; `tipHeight` decides maturity. */
    balance: async (accountId: AccountId, walletId: WalletId, tipHeight: number) =>
      (await balancesOf(session, accountId, [walletId], tipHeight)).get(walletId)!,
    /** Balances of many wallets at once, for lists. */
    balances: (accountId: AccountId, walletIds: readonly string[], tipHeight: number) =>
      balancesOf(session, accountId, walletIds, tipHeight),
    /** As of the end of block `height`, from confirmed coins and confirmed spends alone. */
    balanceAt: (accountId: AccountId, walletId: WalletId, height: number) =>
      balanceAt(session, accountId, walletId, height),
    /** False where the coin is not there. */
    setFlags: async (
      accountId: AccountId,
      walletId: WalletId,
      { txid, vout }: Outpoint,
      { locked, frozen, label }: { locked?: boolean; frozen?: boolean; label?: string | null },
    ) => {
      const key = { txid, vout, walletId, accountId };
      const changed = await coins.update(session, key, { locked, frozen, label });
      return changed > 0n || (await coins.find(session, key)) !== null;
    },
    /**
     * Claims coins for a payment, or for a contract's offer under its hold (core/dlc/coin-hold.ts), which looks like a txid. A coin is claimable when it is live, unlocked or not (the caller decided), no block spends it, and
     * `spentBy` is null or one of `replacing`. Answers the outpoints that could not be claimed: empty means all were.
     */
    claim: async (accountId: AccountId, outpoints: readonly Outpoint[], by: Txid, replacing: readonly Txid[] = []) => {
      const found = new Set((await claimed(accountId, outpoints, by, replacing)).map(outpointKey));
      return outpoints.filter((outpoint) => !found.has(outpointKey(outpoint)));
    },
    /** Takes back a claim of `by`: its coins are unspent again (or spent by `restoreTo`). Answers them. */
    release: async (accountId: AccountId, by: Txid, restoreTo: Txid | null = null) =>
      (await releaseCoins.all(session, { accountId, by, restoreTo })).map(toOutpoint),
  };
}
