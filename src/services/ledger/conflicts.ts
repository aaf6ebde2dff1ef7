import type { Txid } from '../../core/outpoint.ts';
import type { TransactionRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { Changes } from './changes.ts';
import { type Invalidation, invalidateTransaction } from './invalidate-transaction.ts';
import { isAlive, isOwnPayment, lacksSignatures } from './transaction-status.ts';

/** Longer chains of replacements are not walked. */
const MAX_REPLACEMENTS = 200;

/** Whether `replacement`, directly or through others, was made to replace `txid`. */
async function replacesInTheEnd(tx: Repositories, replacement: TransactionRecord, txid: Txid): Promise<boolean> {
  let replaced = replacement.replaces;
  for (let i = 0; replaced !== null && i < MAX_REPLACEMENTS; i++) {
    if (replaced === txid) return true;
    replaced = (await tx.transactions.find(replacement.accountId, replaced))?.replaces ?? null;
  }
  return false;
}

/**
 * Whether a mempool sighting of `txid` is older than what we know: we have made its replacement ourselves, and that is on its way.
 */
export async function isOutdated(
  tx: Repositories,
  txid: Txid,
  records: readonly TransactionRecord[],
  conflicts: readonly TransactionRecord[],
): Promise<boolean> {
  for (const conflict of conflicts) {
    // One that waits for signatures is on nobody's way yet.
    if (!isAlive(conflict) || !isOwnPayment(conflict) || lacksSignatures(conflict)) continue;
    if (await replacesInTheEnd(tx, conflict, txid)) return true;
  }
  for (const record of records) {
    if (isAlive(record) || record.replacedBy === null) continue;
    const successor = await tx.transactions.find(record.accountId, record.replacedBy);
    if (successor && isAlive(successor) && isOwnPayment(successor)) return true;
  }
  return false;
}

/** `txid` is in the mempool or in a block: what spends the same outpoints is not, nor will it be while that is so. */
export async function invalidateConflicts(
  tx: Repositories,
  txid: Txid,
  records: readonly TransactionRecord[],
  conflicts: readonly TransactionRecord[],
  confirmed: boolean,
  now: number,
  changes: Changes,
): Promise<void> {
  const own = records.find(isOwnPayment);
  const ended = new Set<Txid>();
  for (const conflict of new Map(conflicts.map((one) => [one.txid, one])).values()) {
    // Its replacement may still be signed.
    if (!confirmed && lacksSignatures(conflict) && (await replacesInTheEnd(tx, conflict, txid))) continue;
    const planned = own !== undefined && (await replacesInTheEnd(tx, own, conflict.txid));
    const end: Invalidation =
      confirmed && !planned
        ? { status: 'conflicted', reason: `a block holds ${txid}, which spends the same coins`, replacedBy: txid }
        : { status: 'replaced', reason: `replaced by ${txid}`, replacedBy: txid };
    await invalidateTransaction(tx, conflict.txid, end, now, changes);
    ended.add(conflict.txid);
  }
  // A block may hold what was bumped, and not the bump.
  for (const { accountId, txid: from } of conflicts)
    if (ended.has(from)) await tx.transactionNotes.move(accountId, from, txid);
}
