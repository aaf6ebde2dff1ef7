import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type Outpoint, outpointKey, type Txid } from '../../core/outpoint.ts';

export interface PooledTransaction {
  readonly tx: ParsedTransaction;
  readonly feeSats: bigint;
  /** Epoch ms. */
  readonly addedAt: number;
  /** Unconfirmed transactions that it spends from, and those that spend from it. */
  readonly parents: Set<PooledTransaction>;
  readonly children: Set<PooledTransaction>;
}

/** Unconfirmed transactions and who spends from whom. Knows nothing of rules. */
export function createMempool() {
  const byTxid = new Map<Txid, PooledTransaction>();
  const spenders = new Map<string, PooledTransaction>();
  let vbytes = 0;
  return {
    get size() {
      return byTxid.size;
    },
    get vbytes() {
      return vbytes;
    },
    get: (txid: Txid) => byTxid.get(txid) ?? null,
    spenderOf: (outpoint: Outpoint) => spenders.get(outpointKey(outpoint)) ?? null,
    /** In the order of arrival: parents always before their children. */
    entries: () => byTxid.values(),
    add(entry: PooledTransaction) {
      byTxid.set(entry.tx.txid, entry);
      for (const { prev } of entry.tx.inputs) spenders.set(outpointKey(prev), entry);
      for (const parent of entry.parents) parent.children.add(entry);
      vbytes += entry.tx.vsize;
    },
    /** Takes one out and leaves its relatives in. */
    remove(entry: PooledTransaction) {
      if (!byTxid.delete(entry.tx.txid)) return;
      for (const { prev } of entry.tx.inputs) spenders.delete(outpointKey(prev));
      for (const parent of entry.parents) parent.children.delete(entry);
      for (const child of entry.children) child.parents.delete(entry);
      vbytes -= entry.tx.vsize;
    },
    clear() {
      byTxid.clear();
      spenders.clear();
      vbytes = 0;
    },
  };
}

export type Mempool = ReturnType<typeof createMempool>;

/** The transaction and all it spends from, at any distance. */
export const ancestorsOf = (entry: PooledTransaction): Set<PooledTransaction> => reach(entry, 'parents');
/** The transaction and all that spend from it, at any distance. */
export const descendantsOf = (entry: PooledTransaction): Set<PooledTransaction> => reach(entry, 'children');

function reach(entry: PooledTransaction, direction: 'parents' | 'children'): Set<PooledTransaction> {
  const reached = new Set([entry]);
  // A set's iteration also visits what is added meanwhile.
  for (const member of reached) for (const relative of member[direction]) reached.add(relative);
  return reached;
}

export const vsizeOf = (entries: Iterable<PooledTransaction>): number => {
  let sum = 0;
  for (const { tx } of entries) sum += tx.vsize;
  return sum;
};

export const feesOf = (entries: Iterable<PooledTransaction>): bigint => {
  let sum = 0n;
  for (const { feeSats } of entries) sum += feeSats;
  return sum;
};
