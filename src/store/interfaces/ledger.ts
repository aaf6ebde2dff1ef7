import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { BlockRecord, CoinRecord, ScriptRecord, TransactionRecord, WalletRecord } from '../records.ts';

/** What the chain follower reads and writes. Chain facts belong to no account: this is the one repository that crosses them. */
export interface LedgerRepository {
  tip(): Promise<BlockRecord | null>;
  /** The tip, for a job that goes by it: until that ends no other job moves it. */
  holdTip(): Promise<BlockRecord | null>;
  blockAt(height: number): Promise<BlockRecord | null>;
  blocksFrom(height: number, limit: number): Promise<BlockRecord[]>;
  /** Throws where a height is taken: another process has applied a block there. */
  insertBlocks(blocks: readonly BlockRecord[]): Promise<void>;
  deleteBlock(height: number): Promise<void>;
  /**
   * Streams what is to be watched, in chunks, from rows added after `afterId` (0n: all); answers the highest id seen. The follower calls it
   * again before each matching, so that scripts and coins of every process are known. (Ids can commit out of order on PostgreSQL: the
   * caller passes an id some hundreds lower than the last answer.)
   */
  watchedScripts(afterId: bigint, onChunk: (scriptPubKeys: string[]) => void): Promise<bigint>;
  /** Outpoints of live coins that are unspent, or spent without confirmation. */
  watchedOutpoints(afterId: bigint, onChunk: (outpoints: Outpoint[]) => void): Promise<bigint>;
  /** Funding outputs of contracts that no block's transaction spends. */
  watchedFundings(afterId: bigint, onChunk: (outpoints: Outpoint[]) => void): Promise<bigint>;
  /** What unconfirmed transactions (signed, broadcast, or dropped but not final) spend, ours or not, for conflict detection. */
  unconfirmedInputs(): Promise<Outpoint[]>;
  /** Rows of all wallets (of all accounts) that own one of these scripts. */
  scriptsMatching(scriptPubKeys: readonly string[]): Promise<ScriptRecord[]>;
  /** Until the job ends no other claims or spends them. */
  coinsAt(outpoints: readonly Outpoint[]): Promise<CoinRecord[]>;
  coinsOf(txid: Txid): Promise<CoinRecord[]>;
  /** Records, in any account, of this txid; until the job ends no other changes them. */
  transactionsOf(txid: Txid): Promise<TransactionRecord[]>;
  /** Records that spend one of these outpoints, other than `except`, whatever their status. */
  spendersOf(outpoints: readonly Outpoint[], except: Txid): Promise<TransactionRecord[]>;
  /** Records, in any account, that spend an output of `txid`, whatever their status: its descendants of the first degree. */
  childrenOf(txid: Txid): Promise<TransactionRecord[]>;
  transactionsInBlock(hash: BlockHash): Promise<TransactionRecord[]>;
  /** signed, broadcast: what should be in a mempool; oldest first. */
  unconfirmed(): Promise<TransactionRecord[]>;
  /** Leaves coins that are there (same wallet and outpoint) as they stand. */
  insertCoins(coins: readonly CoinRecord[]): Promise<void>;
  /** height: the creating transaction's block (null: unconfirmed again); live: see schema. Applies to every wallet's row of the coin. */
  updateCoinsOf(txid: Txid, patch: { height?: number | null; live?: boolean; own?: boolean }): Promise<void>;
  spendCoins(outpoints: readonly Outpoint[], by: Txid, height: number | null): Promise<void>;
  /** Coins spent by `txid` become unspent. Answers them. */
  unspendCoins(by: Txid): Promise<Outpoint[]>;
  freezeCoin(outpoint: Outpoint): Promise<void>;
  markScriptsUsed(scripts: readonly Pick<ScriptRecord, 'walletId' | 'scriptPubKey'>[], at: number): Promise<void>;
  wallet(walletId: string): Promise<WalletRecord | null>;
  /** Wallets whose scan is queued or was interrupted. */
  walletsToScan(): Promise<WalletRecord[]>;
}
