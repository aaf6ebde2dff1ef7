import type { BlockMatcher } from '../../../chain/follower/block-matcher.ts';
import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import type { ScanDependencies } from './scan-ports.ts';

const TRANSACTIONS_AT_ONCE = 500;

/**
 * The follower looks at each mempool transaction once, maybe before the wallet was there: look at all of them again for its scripts. False where
 * the scripts that they pay could not be derived in time.
 */
export async function scanMempool(
  { chain, ledger }: Pick<ScanDependencies, 'chain' | 'ledger'>,
  matcher: BlockMatcher,
  signal: AbortSignal,
  derivePaid: (transactions: readonly ParsedTransaction[]) => Promise<boolean>,
): Promise<boolean> {
  const txids = await chain.mempoolTxids();
  const found: ParsedTransaction[] = [];
  for (let at = 0; at < txids.length; at += TRANSACTIONS_AT_ONCE) {
    signal.throwIfAborted();
    const raws = await chain.mempoolTransactions(txids.slice(at, at + TRANSACTIONS_AT_ONCE));
    for (const raw of raws) {
      const transaction = raw && matcher.matchTransaction(raw);
      if (transaction) found.push(transaction);
    }
  }
  if (found.length === 0) return true;
  if (!(await derivePaid(found))) return false;
  await ledger.applyMempool(found);
  return true;
}
