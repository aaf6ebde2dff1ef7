import type { ParsedTransaction } from '../../../core/blocks/transaction.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { ScanDependencies } from './scan-wallet.ts';
import type { ScanWatch } from './scan-watch.ts';

const TRANSACTIONS_AT_ONCE = 500;

/** The follower looks at each mempool transaction once, maybe before the wallet was there: look at all of them again for its scripts. */
export async function scanMempool(
  { store, chain, ledger, pool }: Pick<ScanDependencies, 'store' | 'chain' | 'ledger' | 'pool'>,
  { accountId }: WalletRecord,
  watch: ScanWatch,
  signal: AbortSignal,
): Promise<void> {
  const txids = await chain.mempoolTxids();
  const found: ParsedTransaction[] = [];
  for (let at = 0; at < txids.length; at += TRANSACTIONS_AT_ONCE) {
    signal.throwIfAborted();
    const raws = await chain.mempoolTransactions(txids.slice(at, at + TRANSACTIONS_AT_ONCE));
    for (const raw of raws) {
      const transaction = raw && watch.matcher.matchTransaction(raw);
      if (transaction) found.push(transaction);
    }
  }
  if (found.length === 0) return;
  await store.write(async (tx) => {
    const missing = await watch.missingFor(tx, found);
    if (missing.length > 0) await pool.withinLimit(tx, accountId, () => tx.scripts.insertMissing(missing));
  });
  await ledger.applyMempool(found);
}
