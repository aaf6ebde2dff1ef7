/** Which blocks a scan reads, and reading them. */
import type { ChainSource, RawBlock } from '../../chain/chain-source.ts';

/** Those that the source's filters leave, else every height of the range. */
export async function heightsToRead(
  chain: Pick<ChainSource, 'matchingBlocks'>,
  scriptPubKeys: readonly string[],
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<number[]> {
  const matching = await chain.matchingBlocks(scriptPubKeys, from, to, undefined, signal);
  return matching ?? Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}

/** Fewer than asked where the chain became shorter meanwhile. */
export async function blocksAt(
  chain: Pick<ChainSource, 'blockHashesAt' | 'blocks'>,
  heights: readonly number[],
): Promise<RawBlock[]> {
  const hashes = await chain.blockHashesAt(heights);
  const end = hashes.indexOf(null);
  return chain.blocks((end === -1 ? hashes : hashes.slice(0, end)).filter((hash) => hash !== null));
}
