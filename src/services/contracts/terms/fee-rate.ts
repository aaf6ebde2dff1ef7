import type { ChainSource } from '../../../chain/chain-source.ts';
import type { FeeRate } from '../../../core/fee-rate.ts';

/** Contracts need not be in the next block. */
const TARGET_BLOCKS = 6;

/** What the node thinks confirms within an hour; null where it has too little data. */
export async function estimatedFeeRate(chain: Pick<ChainSource, 'estimateFees'>): Promise<FeeRate | null> {
  const estimated = (await chain.estimateFees([TARGET_BLOCKS])).get(TARGET_BLOCKS) ?? 'unavailable';
  return estimated === 'unavailable' ? null : estimated;
}

/** The same, in whole sat/vB, never below what its mempool takes: messages have integers. */
export async function defaultFeeRate(chain: Pick<ChainSource, 'estimateFees'>, minimum: FeeRate): Promise<bigint> {
  const estimated = await estimatedFeeRate(chain);
  const rate = estimated === null || estimated < minimum ? minimum : estimated;
  const whole = (rate + 999n) / 1000n;
  return whole > 1n ? whole : 1n;
}
