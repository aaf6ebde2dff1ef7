import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { unsignedTxidOf } from '../../core/transactions/unsigned-txid.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { lacksSignatures } from './transaction-status.ts';

/**
 * Payments that wait (or waited) for signatures here and that `transaction`, signed and sent elsewhere, is the complete form of: their
 * records take its txid. Native segwit payments have that txid from the beginning. Answers whether there were any.
 */
export async function adoptSigned(
  tx: Repositories,
  transaction: ParsedTransaction,
  records: readonly TransactionRecord[],
  conflicts: readonly TransactionRecord[],
): Promise<boolean> {
  const { txid } = transaction;
  const candidates = conflicts.filter(
    (conflict) => lacksSignatures(conflict) && !records.some((record) => record.accountId === conflict.accountId),
  );
  if (candidates.length === 0) return false;
  const unsignedTxid = unsignedTxidOf(transaction);
  let adopted = false;
  for (const candidate of candidates) {
    if (candidate.unsignedTxid !== unsignedTxid) continue;
    // Another job may have completed it meanwhile.
    const held = await tx.transactions.findForUpdate(candidate.accountId, candidate.txid);
    if (!held || !lacksSignatures(held)) continue;
    await tx.transactions.rename(held.accountId, held.txid, txid);
    adopted = true;
  }
  return adopted;
}
