import type { Outpoint, Txid } from '../../core/outpoint.ts';
import type { Balance, CoinRecord, Page, PageRequest } from '../records.ts';

export interface CoinRepository {
  /** Live, unspent, unlocked, unfrozen coins of a wallet: what selection may see (maturity and depth are its own rules). Hot path. */
  spendable(accountId: string, walletId: string): Promise<CoinRecord[]>;
  findMany(accountId: string, outpoints: readonly Outpoint[]): Promise<CoinRecord[]>;
  list(
    accountId: string,
    walletId: string,
    filter: { locked?: boolean; frozen?: boolean; confirmed?: boolean; address?: string },
    page: PageRequest,
  ): Promise<Page<CoinRecord>>;
  /** Of live coins as of now; `tipHeight` decides maturity. */
  balance(accountId: string, walletId: string, tipHeight: number): Promise<Balance>;
  /** As of the end of block `height`, from confirmed coins and confirmed spends alone. */
  balanceAt(accountId: string, walletId: string, height: number): Promise<Balance>;
  /** Balances of many wallets at once, for lists. */
  balances(accountId: string, walletIds: readonly string[], tipHeight: number): Promise<Map<string, Balance>>;
  /** False where the coin is not there. */
  setFlags(
    accountId: string,
    walletId: string,
    outpoint: Outpoint,
    flags: { locked?: boolean; frozen?: boolean; label?: string | null },
  ): Promise<boolean>;
  /**
   * Claims coins for a payment, or for a contract's offer under its hold (core/dlc/coin-hold.ts), which looks like a txid. A coin is claimable when it is live, unlocked or not (the caller decided), no block spends it, and
   * `spentBy` is null or one of `replacing`. Answers the outpoints that could not be claimed: empty means all were.
   */
  claim(accountId: string, outpoints: readonly Outpoint[], by: Txid, replacing?: readonly Txid[]): Promise<Outpoint[]>;
  /** Takes back a claim of `by`: its coins are unspent again (or spent by `restoreTo`). Answers them. */
  release(accountId: string, by: Txid, restoreTo?: Txid | null): Promise<Outpoint[]>;
}
