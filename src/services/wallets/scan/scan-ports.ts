import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';

/** What a scan needs of the ledger beyond the database. The chain follower's sink fits. */
export interface ScanLedger {
  /** Transactions that are in the mempool just now, in any order. */
  applyMempool(transactions: readonly ParsedTransaction[]): Promise<unknown>;
}
