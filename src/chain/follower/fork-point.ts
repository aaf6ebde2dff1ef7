import type { BlockRecord } from '../../store/records.ts';
import type { LedgerRepository } from '../../store/store.ts';
import type { ChainSource } from '../chain-source.ts';

const FIRST_STEP = 15;
const LARGEST_STEP = 1_000;

/**
 * The highest block of ours that is in the source's chain too, walking back from the tip; null where they have none in common among
 * the blocks we followed.
 */
export async function findForkPoint(
  chain: Pick<ChainSource, 'blockHashesAt'>,
  ledger: Pick<LedgerRepository, 'blocksFrom'>,
  tip: BlockRecord,
): Promise<BlockRecord | null> {
  // Nearly always blocks were added, and none has gone.
  if ((await chain.blockHashesAt([tip.height]))[0] === tip.hash) return tip;
  let top = tip.height - 1;
  for (let step = FIRST_STEP; ; step = Math.min(step * 4, LARGEST_STEP)) {
    const bottom = Math.max(0, top - step + 1);
    const ours = await ledger.blocksFrom(bottom, top - bottom + 1);
    if (ours.length === 0) return null;
    const theirs = await chain.blockHashesAt(ours.map((block) => block.height));
    const common = ours.findLast((block, i) => block.hash === theirs[i]);
    if (common) return common;
    if (bottom === 0 || ours[0]!.height > bottom) return null;
    top = bottom - 1;
  }
}
