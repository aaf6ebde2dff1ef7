import type { ChainSource } from '../../../chain/chain-source.ts';
import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import type { Network } from '../../../core/network.ts';
import type { Store } from '../../../store/store.ts';
import type { ScriptPool } from '../database-script-pool.ts';

/** What a scan needs of the ledger beyond the database. The chain follower's sink fits. */
interface ScanLedger {
  /** Transactions that are in the mempool just now, in any order. */
  applyMempool(transactions: readonly ParsedTransaction[]): Promise<unknown>;
}

export interface ScanDependencies {
  readonly store: Store;
  readonly chain: Pick<
    ChainSource,
    'matchingBlocks' | 'blockHashesAt' | 'blocks' | 'mempoolTxids' | 'mempoolTransactions'
  >;
  readonly ledger: ScanLedger;
  readonly pool: ScriptPool;
  readonly network: Network;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}
