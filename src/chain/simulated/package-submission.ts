import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { PooledTransaction } from './mempool.ts';
import { checkWellFormed, isChildWithParents, MAX_PACKAGE_COUNT } from './package-rules.ts';
import { notNow, Refusal } from './refusal.ts';
import type { SimulatedNode } from './simulated-node.ts';

/**
 * Takes a package as Bitcoin Core's submitpackage does: what is there already stays; each other transaction is tried by itself; those that
 * only lack a fee, or a parent that lacks one, are judged together. Whatever can be taken is, also where the rest is refused. Throws
 * Refusal where the transactions are no package.
 */
export function submitPackage(node: SimulatedNode, transactions: readonly ParsedTransaction[]) {
  if (transactions.length === 0 || transactions.length > MAX_PACKAGE_COUNT)
    throw notNow(`Array must contain between 1 and ${MAX_PACKAGE_COUNT} transactions.`);
  if (transactions.length > 1 && !isChildWithParents(transactions))
    throw notNow('package topology disallowed. not child-with-parents or parents depend on each other.');
  checkWellFormed(transactions);
  const added: PooledTransaction[] = [];
  const refused = new Map<Txid, Refusal>();
  const waiting: ParsedTransaction[] = [];
  for (const tx of transactions) {
    if (node.isPooled(tx.txid)) continue;
    const refusal = refusalOf(() => added.push(...node.take(node.wouldAccept(tx))));
    if (!refusal) continue;
    refused.set(tx.txid, refusal);
    if (refusal.curable) waiting.push(tx);
  }
  let message = refused.size > 0 ? 'transaction failed' : 'success';
  if (waiting.length > 1 && waiting.length === refused.size) {
    const refusal = refusalOf(() => added.push(...node.take(node.wouldAcceptTogether(waiting, 'package'))));
    if (!refusal) refused.clear();
    else if (refusal.of) refused.set(refusal.of, refusal);
    else message = refusal.message;
    if (!refusal) message = 'success';
    else if (refusal.message.startsWith('missing-ephemeral-spends')) message = 'unspent-dust';
  }
  node.settleIn(added);
  for (const { txid } of transactions)
    if (!refused.has(txid) && !node.isPooled(txid)) refused.set(txid, notNow('mempool full'));
  return {
    /** `success`, or what stood in the way: of all, or `transaction failed` and `unspent-dust`, of which `refused` says more. */
    message: message === 'success' && refused.size > 0 ? 'transaction failed' : message,
    refused,
  };
}

function refusalOf(attempt: () => void): Refusal | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
