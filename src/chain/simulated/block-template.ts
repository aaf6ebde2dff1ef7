import { ancestorsOf, feesOf, type Mempool, type PooledTransaction, vsizeOf } from './mempool.ts';

/** Transactions that go into a block together: one that pays, with the ancestors it pays for. */
export interface Chunk {
  readonly entries: readonly PooledTransaction[];
  readonly feeSats: bigint;
  readonly vsize: number;
  /** Chunks of one cluster have to be taken in their order. */
  readonly cluster: number;
}

/** Weight kept free for header and coinbase, as Bitcoin Core does. */
export const RESERVED_WEIGHT = 8_000;

/** The mempool's transactions by feerate, parents before children, as many as a block of `maxWeight` holds. */
export function selectForBlock(mempool: Mempool, maxWeight: number): PooledTransaction[] {
  const chunks = chunksByFeeRate(mempool);
  const chosen: PooledTransaction[] = [];
  const closed = new Set<number>();
  let left = maxWeight - RESERVED_WEIGHT;
  for (const chunk of chunks) {
    if (closed.has(chunk.cluster)) continue;
    const weight = chunk.entries.reduce((sum, { tx }) => sum + tx.weight, 0);
    if (weight > left) {
      closed.add(chunk.cluster);
      continue;
    }
    left -= weight;
    for (const entry of chunk.entries) chosen.push(entry);
  }
  return chosen;
}

/** The whole mempool in the order in which blocks would take it. */
export function chunksByFeeRate(mempool: Mempool): Chunk[] {
  const chunks: Chunk[] = [];
  const seen = new Set<PooledTransaction>();
  let cluster = 0;
  for (const entry of mempool.entries()) {
    if (seen.has(entry)) continue;
    cluster++;
    if (entry.parents.size === 0 && entry.children.size === 0) {
      chunks.push({ entries: [entry], feeSats: entry.feeSats, vsize: entry.tx.vsize, cluster });
      continue;
    }
    const members = clusterOf(entry);
    for (const member of members) seen.add(member);
    for (const chunk of linearize(members, cluster)) chunks.push(chunk);
  }
  return chunks.sort(byFeeRate);
}

function clusterOf(entry: PooledTransaction): Set<PooledTransaction> {
  const members = new Set([entry]);
  for (const member of members) {
    for (const parent of member.parents) members.add(parent);
    for (const child of member.children) members.add(child);
  }
  return members;
}

/** Takes again and again the transaction that, with its remaining ancestors, pays the best feerate. Feerates of the result never rise. */
export function linearize(members: ReadonlySet<PooledTransaction>, cluster = 0): Chunk[] {
  const remaining = new Set(members);
  const chunks: Chunk[] = [];
  while (remaining.size > 0) {
    let best: Chunk | null = null;
    for (const entry of remaining) {
      const entries = [...ancestorsOf(entry)].filter((one) => remaining.has(one)).reverse();
      const candidate = { entries, feeSats: feesOf(entries), vsize: vsizeOf(entries), cluster };
      if (!best || byFeeRate(candidate, best) < 0) best = candidate;
    }
    let chunk = best as Chunk;
    for (const entry of chunk.entries) remaining.delete(entry);
    for (let last = chunks.at(-1); last && byFeeRate(chunk, last) < 0; last = chunks.at(-1)) {
      chunk = merge(last, chunk);
      chunks.pop();
    }
    chunks.push(chunk);
  }
  return chunks.map(inTopologicalOrder);
}

const merge = (first: Chunk, second: Chunk): Chunk => ({
  entries: [...first.entries, ...second.entries],
  feeSats: first.feeSats + second.feeSats,
  vsize: first.vsize + second.vsize,
  cluster: first.cluster,
});

function inTopologicalOrder(chunk: Chunk): Chunk {
  const waiting = new Set(chunk.entries);
  const entries: PooledTransaction[] = [];
  while (waiting.size > 0)
    for (const entry of waiting) {
      if ([...entry.parents].some((parent) => waiting.has(parent))) continue;
      waiting.delete(entry);
      entries.push(entry);
    }
  return { ...chunk, entries };
}

/** Higher feerate first; equal ones keep their order of arrival, chunks of one cluster theirs. */
function byFeeRate(a: Chunk, b: Chunk): number {
  const difference = b.feeSats * BigInt(a.vsize) - a.feeSats * BigInt(b.vsize);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}
