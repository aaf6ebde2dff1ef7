import { feesOf, type PooledTransaction, vsizeOf } from './mempool.ts';

export const chunkOf = (entries: readonly PooledTransaction[]) => ({
  feeSats: feesOf(entries),
  vsize: vsizeOf(entries),
});

/** Transactions that count as one: what they pay and how large they are. */
export type FeeChunk = ReturnType<typeof chunkOf>;

/**
 * Whether miners get more from `next` than from `before` at some size and nowhere less: both drawn as fees over size, best feerate first
 * (Bitcoin Core's feerate diagrams).
 */
export function improvesDiagram(next: readonly FeeChunk[], before: readonly FeeChunk[]): boolean {
  let better = false;
  for (const size of [...cornersOf(next), ...cornersOf(before)]) {
    const [a, b] = [feesWithin(next, size), feesWithin(before, size)];
    const difference = a.fees * b.share - b.fees * a.share;
    if (difference < 0n) return false;
    if (difference > 0n) better = true;
  }
  return better;
}

const byFeeRate = (a: FeeChunk, b: FeeChunk): number =>
  Number(b.feeSats * BigInt(a.vsize) - a.feeSats * BigInt(b.vsize));

function cornersOf(chunks: readonly FeeChunk[]): number[] {
  let size = 0;
  return chunks.toSorted(byFeeRate).map(({ vsize }) => (size += vsize));
}

/** What the best `size` virtual bytes pay, as `fees / share`: a chunk that is cut counts in proportion. */
function feesWithin(chunks: readonly FeeChunk[], size: number): { fees: bigint; share: bigint } {
  let fees = 0n;
  let left = size;
  for (const { feeSats, vsize } of chunks.toSorted(byFeeRate)) {
    if (vsize > left) return { fees: fees * BigInt(vsize) + feeSats * BigInt(left), share: BigInt(vsize) };
    fees += feeSats;
    left -= vsize;
  }
  return { fees, share: 1n };
}
