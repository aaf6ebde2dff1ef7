import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { AccountId } from '../../core/ids.ts';
import type { BlockHash, Outpoint, Txid } from '../../core/outpoint.ts';
import type { BlockRecord } from '../../store/records.ts';
import type { LedgerRepository } from '../../store/store.ts';

/** A block with the transactions in it that may concern us, in block order. */
export interface MatchedBlock extends BlockRecord {
  readonly transactions: readonly ParsedTransaction[];
  /** Watches these scripts (hex) too and goes over the block again. */
  rescan(scriptPubKeys: readonly string[]): readonly ParsedTransaction[];
}

/** What applying chain facts brought to light, for whoever matches and for whoever keeps track of the mempool. */
export interface Applied {
  /** Scripts derived because others were used. */
  readonly scripts: readonly string[];
  /** Coins of ours that are new or live again. */
  readonly coins: readonly Outpoint[];
  /** What unconfirmed transactions spend: another spender of these is a conflict. */
  readonly inputs: readonly Outpoint[];
  /** Transactions that lost to another one. */
  readonly dead: readonly Txid[];
  /** Mempool transactions that contradict what is known better: look at them again later. */
  readonly ignored: readonly Txid[];
}

/** Where chain facts go. Every method may be called twice with the same facts: the second time changes nothing. */
export interface ChainSink {
  /** The first blocks of an empty database, oldest first: what stands from now on is followed from there. */
  begin(base: readonly BlockRecord[]): Promise<void>;
  /**
   * Effects of blocks that follow the tip, oldest first, in one write job with the tip itself. `refresh` looks for scripts that were
   * committed since the blocks were matched; true where there are some.
   */
  connectBlocks(
    blocks: readonly MatchedBlock[],
    refresh: (ledger: LedgerRepository) => Promise<boolean>,
  ): Promise<Applied>;
  /** Takes back the tip, which must be this block. */
  disconnectBlock(height: number, hash: BlockHash): Promise<Applied>;
  /** Transactions seen in the mempool just now, in any order. */
  applyMempool(transactions: readonly ParsedTransaction[]): Promise<Applied>;
  /** Tracked unconfirmed transactions that a mempool does not hold: our own payments, and others'. */
  missingFrom(
    isPresent: (txid: Txid) => boolean,
  ): Promise<{ own: { accountId: AccountId; txid: Txid }[]; foreign: Txid[] }>;
  /** Others' transactions that are in no mempool any more. */
  leftMempool(txids: readonly Txid[]): Promise<Applied>;
  /** Halts spending, or with null lets it go on. */
  setHalt(reason: string | null): Promise<void>;
  halted(): Promise<string | null>;
}
