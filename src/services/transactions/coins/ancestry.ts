/**
 * Mempool ancestry of our own unconfirmed transactions from what the database holds, so that payments that no node has taken yet count
 * too. What strangers built on our outputs is unknown here; the node's verdict covers it.
 */
import type { CoinAncestry } from '../../../core/coin-selection/candidate.ts';
import type { Txid } from '../../../core/outpoint.ts';
import type { TransactionRecord } from '../../../store/records.ts';
import type { TransactionRepository } from '../../../store/store.ts';
import { isUnconfirmed } from '../transaction-states.ts';

/** Above every node's limit: a walk that gets here need not go on. */
const WALK_LIMIT = 64;

export interface AncestryLookup {
  /** null where the transaction is confirmed or not ours. */
  of(txid: Txid): Promise<CoinAncestry | null>;
}

interface Node {
  readonly record: Pick<TransactionRecord, 'txid' | 'vsize' | 'feeSats'>;
  readonly parents: readonly Txid[];
}

/** A transaction built in the same batch and not committed yet. */
export interface PendingNode {
  readonly txid: Txid;
  readonly vsize: number;
  readonly feeSats: bigint;
  readonly parents: readonly Txid[];
}

/** Remembers what it read: for the length of one payment. */
export function createAncestryLookup(
  transactions: Pick<TransactionRepository, 'find' | 'inputs' | 'children'>,
  accountId: string,
  pending: readonly PendingNode[] = [],
): AncestryLookup {
  const nodes = new Map<Txid, Promise<Node | null>>();
  const childrenOf = new Map<Txid, Promise<Txid[]>>();
  for (const node of pending) nodes.set(node.txid, Promise.resolve({ record: node, parents: node.parents }));

  function node(txid: Txid): Promise<Node | null> {
    let known = nodes.get(txid);
    if (!known) {
      known = load(txid);
      nodes.set(txid, known);
    }
    return known;
  }

  async function load(txid: Txid): Promise<Node | null> {
    const record = await transactions.find(accountId, txid);
    if (!record || !isUnconfirmed(record.status)) return null;
    const inputs = await transactions.inputs(accountId, record.txid);
    return { record, parents: [...new Set(inputs.map((input) => input.prev.txid))] };
  }

  function children(txid: Txid): Promise<Txid[]> {
    let known = childrenOf.get(txid);
    if (!known) {
      known = transactions
        .children(accountId, txid)
        .then((records) => [
          ...records.filter((record) => isUnconfirmed(record.status)).map((record) => record.txid),
          ...pending.filter((candidate) => candidate.parents.includes(txid)).map((candidate) => candidate.txid),
        ]);
      childrenOf.set(txid, known);
    }
    return known;
  }

  async function walk(start: Txid, next: (txid: Txid) => Promise<readonly Txid[]>): Promise<Node[]> {
    const seen = new Set<Txid>([start]);
    const found: Node[] = [];
    for (const txid of seen) {
      const here = await node(txid);
      if (!here) continue;
      found.push(here);
      if (found.length >= WALK_LIMIT) break;
      for (const other of await next(txid)) seen.add(other);
    }
    return found;
  }

  return {
    async of(txid) {
      if (!(await node(txid))) return null;
      const ancestors = await walk(txid, async (at) => (await node(at))?.parents ?? []);
      // As in Bitcoin Core's wallet: the ancestor that has the most descendants sets how many more there may be.
      let descendantCount = 0;
      let descendantVsize = 0;
      for (const ancestor of ancestors) {
        const descendants = await walk(ancestor.record.txid, children);
        descendantCount = Math.max(descendantCount, descendants.length);
        descendantVsize = Math.max(descendantVsize, sumOf(descendants));
      }
      return {
        ancestorCount: ancestors.length,
        ancestorVsize: sumOf(ancestors),
        ancestorFeesSats: ancestors.reduce((sum, ancestor) => sum + (ancestor.record.feeSats ?? 0n), 0n),
        descendantCount,
        descendantVsize,
        transactions: ancestors.map(({ record, parents }) => ({
          txid: record.txid,
          vsize: record.vsize ?? 0,
          feeSats: record.feeSats ?? 0n,
          parents,
        })),
      };
    },
  };
}

const sumOf = (found: readonly Node[]): number => found.reduce((sum, { record }) => sum + (record.vsize ?? 0), 0);
