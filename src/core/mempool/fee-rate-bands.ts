/** How the mempool looks to a miner: how many virtual bytes wait at which feerate. */
import { type FeeRate, feeRateOf } from '../fee-rate.ts';
import type { Txid } from '../outpoint.ts';

export interface WaitingTransaction {
  readonly feeSats: bigint;
  readonly vsize: number;
  /** Txids that it spends from; those that do not wait themselves count for nothing. */
  readonly parents: readonly Txid[];
}

export interface FeeRateBand {
  readonly feeRate: FeeRate;
  readonly vsize: number;
}

/** Of more transactions that hang together, each is taken by its best descendant's ancestor feerate: near enough, and linear. */
const LARGEST_EXACT_CLUSTER = 64;
/** Ancestors that are looked at of one transaction of a large cluster: more than any node's usual limit. */
const MAX_ANCESTORS = 100;

interface Node {
  readonly feeSats: bigint;
  readonly vsize: number;
  readonly parents: Node[];
  readonly children: Node[];
  cluster: boolean;
}

/** Bands by descending feerate. */
export function feeRateBands(waiting: ReadonlyMap<Txid, WaitingTransaction>): FeeRateBand[] {
  const steps = feeRateBandsInSteps(waiting);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Transactions or clusters between two pauses: a few milliseconds. */
const STEP = 5_000;

/**
 * The same with pauses, for mempools so large that whoever computes must let others have their turn; `waiting` stays as it is meanwhile.
 * Transactions that hang together are taken in the order of a miner: again and again the one that pays best together with its remaining
 * ancestors; feerates of one cluster never rise (as Bitcoin Core's chunks).
 */
export function* feeRateBandsInSteps(
  waiting: ReadonlyMap<Txid, WaitingTransaction>,
): Generator<void, FeeRateBand[], void> {
  const bands = new Map<FeeRate, number>();
  const add = (feeRate: FeeRate, vsize: number) => bands.set(feeRate, (bands.get(feeRate) ?? 0) + vsize);
  let done = 0;
  const related = yield* familiesOf(waiting);
  for (const [txid, { feeSats, vsize }] of waiting) {
    if (++done % STEP === 0) yield;
    if (!related.has(txid)) add(feeRateOf(feeSats, vsize), vsize);
  }
  for (const node of related.values()) {
    if (++done % STEP === 0) yield;
    if (node.cluster) continue;
    const members = clusterOf(node);
    if (members.length <= LARGEST_EXACT_CLUSTER)
      for (const { feeSats, vsize } of chunksOf(members)) add(feeRateOf(feeSats, vsize), vsize);
    else for (const [member, feeRate] of scoresOf(members)) add(feeRate, member.vsize);
  }
  return [...bands].map(([feeRate, vsize]) => ({ feeRate, vsize })).sort((a, b) => (b.feeRate > a.feeRate ? 1 : -1));
}

/** Those that have a parent or a child among the waiting. */
function* familiesOf(waiting: ReadonlyMap<Txid, WaitingTransaction>): Generator<void, Map<Txid, Node>, void> {
  const related = new Map<Txid, Node>();
  const nodeOf = (txid: Txid): Node | null => {
    const transaction = waiting.get(txid);
    if (!transaction) return null;
    const known = related.get(txid);
    if (known) return known;
    const node = { feeSats: transaction.feeSats, vsize: transaction.vsize, parents: [], children: [], cluster: false };
    related.set(txid, node);
    return node;
  };
  let done = 0;
  for (const [txid, { parents }] of waiting) {
    if (++done % STEP === 0) yield;
    for (const parentId of parents.length > 1 ? new Set(parents) : parents) {
      const parent = nodeOf(parentId);
      const child = parent && nodeOf(txid);
      if (!parent || !child) continue;
      parent.children.push(child);
      child.parents.push(parent);
    }
  }
  return related;
}

function clusterOf(first: Node): Node[] {
  first.cluster = true;
  const members = [first];
  // The loop also visits what is added meanwhile.
  for (const member of members) {
    for (const relative of [...member.parents, ...member.children]) {
      if (relative.cluster) continue;
      relative.cluster = true;
      members.push(relative);
    }
  }
  return members;
}

interface Sum {
  readonly feeSats: bigint;
  readonly vsize: number;
}

const sumOf = (nodes: Iterable<Node>): Sum => {
  let feeSats = 0n;
  let vsize = 0;
  for (const node of nodes) {
    feeSats += node.feeSats;
    vsize += node.vsize;
  }
  return { feeSats, vsize };
};

const paysMore = (a: Sum, b: Sum): boolean => a.feeSats * BigInt(b.vsize) > b.feeSats * BigInt(a.vsize);

function chunksOf(members: readonly Node[]): Sum[] {
  const remaining = new Set(members);
  const chunks: Sum[] = [];
  while (remaining.size > 0) {
    let best: { nodes: Set<Node>; sum: Sum } | null = null;
    for (const node of remaining) {
      const nodes = withAncestors(node, (one) => remaining.has(one), Number.POSITIVE_INFINITY);
      const sum = sumOf(nodes);
      if (best === null || paysMore(sum, best.sum)) best = { nodes, sum };
    }
    let { sum } = best as { sum: Sum };
    for (const node of (best as { nodes: Set<Node> }).nodes) remaining.delete(node);
    for (let last = chunks.at(-1); last && paysMore(sum, last); last = chunks.at(-1)) {
      chunks.pop();
      sum = { feeSats: last.feeSats + sum.feeSats, vsize: last.vsize + sum.vsize };
    }
    chunks.push(sum);
  }
  return chunks;
}

function scoresOf(members: readonly Node[]): Map<Node, FeeRate> {
  const scores = new Map<Node, FeeRate>();
  for (const member of members) {
    const family = withAncestors(member, () => true, MAX_ANCESTORS);
    const { feeSats, vsize } = sumOf(family);
    const rate = feeRateOf(feeSats, vsize);
    for (const node of family) if (rate > (scores.get(node) ?? -1n)) scores.set(node, rate);
  }
  return scores;
}

function withAncestors(node: Node, counts: (node: Node) => boolean, most: number): Set<Node> {
  const family = new Set([node]);
  for (const member of family) {
    for (const parent of member.parents) if (family.size < most && counts(parent)) family.add(parent);
  }
  return family;
}
