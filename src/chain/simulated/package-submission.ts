import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { notNow, Refusal } from './refusal.ts';
import type { SimulatedNode } from './simulated-node.ts';

const MAX_PACKAGE_COUNT = 25;
const MAX_PACKAGE_WEIGHT = 404_000;

/**
 * Takes a package as Bitcoin Core's submitpackage does: each transaction by itself where it can stand so, those whose own fee is too low
 * together with the child that pays for them. Parents that could stand alone stay even where the child is refused. Throws Refusal.
 */
export function submitPackage(node: SimulatedNode, transactions: readonly ParsedTransaction[]): void {
  checkPackage(transactions);
  const child = transactions[transactions.length - 1] as ParsedTransaction;
  const waiting: ParsedTransaction[] = [];
  for (const parent of transactions.slice(0, -1)) {
    if (node.isKnown(parent.txid)) continue;
    try {
      node.accept([parent]);
    } catch (error) {
      if (!isFeeRefusal(error)) throw error;
      waiting.push(parent);
    }
  }
  if (waiting.length > 0 || !node.isKnown(child.txid)) node.accept([...waiting, child]);
}

/** Parents, then the one child that spends from each of them. Throws Refusal. */
function checkPackage(transactions: readonly ParsedTransaction[]): void {
  if (transactions.length > MAX_PACKAGE_COUNT) throw notNow('package-too-many-transactions');
  if (transactions.reduce((sum, { weight }) => sum + weight, 0) > MAX_PACKAGE_WEIGHT) throw notNow('package-too-large');
  const later = new Set(transactions.map(({ txid }) => txid));
  if (later.size !== transactions.length) throw notNow('package-contains-duplicates');
  for (const tx of transactions) {
    if (tx.inputs.some(({ prev }) => later.has(prev.txid))) throw notNow('package-not-sorted');
    later.delete(tx.txid);
  }
  const spentFrom = new Set(transactions.at(-1)?.inputs.map(({ prev }) => prev.txid));
  if (transactions.slice(0, -1).some(({ txid }) => !spentFrom.has(txid)))
    throw notNow('package-not-child-with-parents');
}

/** Too low a fee, also against what it would replace: what a paying child may make up for. */
const isFeeRefusal = (error: unknown): boolean =>
  error instanceof Refusal && /^(min relay fee not met|mempool min fee not met|insufficient fee)/.test(error.message);
