import { commitsToTransactions } from '../../core/blocks/block.ts';
import { parseHeader } from '../../core/blocks/header.ts';
import type { BlockHash } from '../../core/outpoint.ts';
import type { ChainSource, RawBlock } from '../chain-source.ts';

/** Batches under way at once. */
const AHEAD = 3;
const FIRST_BATCH = 16;
const LARGEST_BATCH = 500;
/** What a batch should come to: with AHEAD of them this bounds the memory of catching up. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The source's chain changed while it was read: look again. */
export class ChainMoved extends Error {
  constructor() {
    super('the chain changed while it was read');
    this.name = 'ChainMoved';
  }
}

/**
 * Blocks [from, to] of the best chain in batches, the next ones being fetched while one is worked on. Batches grow to about 4 MiB.
 * Throws ChainMoved where the chain is shorter than that by now, and what the source throws.
 */
export async function* blocksAhead(
  chain: Pick<ChainSource, 'kind' | 'blockHashesAt' | 'blocks'>,
  from: number,
  to: number,
): AsyncGenerator<RawBlock[]> {
  const underWay: Promise<RawBlock[]>[] = [];
  let next = from;
  let size = FIRST_BATCH;
  const fetchMore = (): void => {
    while (underWay.length < AHEAD && next <= to) {
      const count = Math.min(size, to - next + 1);
      const batch = fetchBlocks(chain, next, count);
      // Awaited in its turn; a failure until then is not unhandled.
      batch.catch(() => {});
      underWay.push(batch);
      next += count;
    }
  };
  fetchMore();
  for (let batch = underWay.shift(); batch !== undefined; batch = underWay.shift()) {
    const blocks = await batch;
    const bytes = blocks.reduce((sum, block) => sum + block.bytes.length, 0);
    size = Math.min(LARGEST_BATCH, size * 4, Math.max(1, Math.floor((BATCH_BYTES * blocks.length) / bytes)));
    fetchMore();
    yield blocks;
  }
}

async function fetchBlocks(
  chain: Pick<ChainSource, 'kind' | 'blockHashesAt' | 'blocks'>,
  from: number,
  count: number,
): Promise<RawBlock[]> {
  const hashes = await chain.blockHashesAt(Array.from({ length: count }, (_, i) => from + i));
  if (hashes.some((hash) => hash === null)) throw new ChainMoved();
  const blocks = await chain.blocks(hashes as BlockHash[]);
  blocks.forEach((block, i) => {
    const { hash, prevHash } = parseHeader(block.bytes);
    if (hash !== hashes[i] || prevHash !== block.prevHash || block.height !== from + i) {
      throw new Error(`the source answered another block than ${hashes[i]} at height ${from + i}`);
    }
    // One's own node has checked its blocks; what a server across the network sends is held against the header.
    if (chain.kind === 'esplora' && !commitsToTransactions(block.bytes)) {
      throw new Error(`the source's block ${hash} does not have the transactions its header commits to`);
    }
  });
  return blocks;
}
