/** Feerates for people in a hurry and people who are not, from what waits now and from what the node's estimator remembers. */
import type { FeeRate } from '../fee-rate.ts';
import type { FeeRateBand } from './fee-rate-bands.ts';

type Recommended = FeeRate | 'unavailable';

export interface RecommendedFees {
  readonly fastest: Recommended;
  readonly halfHour: Recommended;
  readonly hour: Recommended;
  readonly economy: Recommended;
  readonly minimum: Recommended;
}

/** Virtual bytes of a block, less what is kept free for its header and coinbase. */
export const BLOCK_VSIZE = 998_000;

/**
 * The feerate at the middle of the block that is `depth` blocks away, were blocks mined from what waits now. A block less than half full
 * takes whatever pays the minimum.
 */
function medianOfProjectedBlock(bands: readonly FeeRateBand[], depth: number, minimum: FeeRate): FeeRate {
  const middle = BLOCK_VSIZE * (depth - 0.5);
  let passed = 0;
  for (const { feeRate, vsize } of bands) {
    passed += vsize;
    if (passed > middle) return feeRate > minimum ? feeRate : minimum;
  }
  return minimum;
}

export interface FeeKnowledge {
  /** null where the source does not tell how much waits at which feerate. */
  readonly bands: readonly FeeRateBand[] | null;
  /** What the mempool takes now; null where the source does not tell it. */
  readonly minimum: FeeRate | null;
  /** What the estimator says for a target in blocks. */
  estimate(target: number): Recommended;
}

/**
 * fastest: the higher of the first projected block's median and the estimate for 2 blocks. half_hour and hour: the median of the second
 * and third projected block; without a view of the mempool, the estimates for 3 and 6 blocks. economy: twice the minimum, but not above
 * hour. None is above a faster one, none below the minimum. 'unavailable' where neither is known.
 */
export function recommendedFees({ bands, minimum, estimate }: FeeKnowledge): RecommendedFees {
  const floor = minimum ?? (0n as FeeRate);
  const projected = (depth: number): Recommended =>
    bands === null || minimum === null ? 'unavailable' : medianOfProjectedBlock(bands, depth, minimum);
  const fastest = atLeast(highest(projected(1), estimate(2)), floor);
  const halfHour = atMost(either(projected(2), atLeast(estimate(3), floor)), fastest);
  const hour = atMost(either(projected(3), atLeast(estimate(6), floor)), halfHour);
  const economy = minimum === null ? 'unavailable' : atMost((minimum * 2n) as FeeRate, hour);
  return { fastest, halfHour, hour, economy, minimum: minimum ?? 'unavailable' };
}

const either = (first: Recommended, second: Recommended): Recommended => (first === 'unavailable' ? second : first);

function highest(a: Recommended, b: Recommended): Recommended {
  if (a === 'unavailable' || b === 'unavailable') return either(a, b);
  return a > b ? a : b;
}

const atLeast = (rate: Recommended, floor: FeeRate): Recommended =>
  rate !== 'unavailable' && rate < floor ? floor : rate;

const atMost = (rate: Recommended, ceiling: Recommended): Recommended =>
  rate !== 'unavailable' && ceiling !== 'unavailable' && rate > ceiling ? ceiling : rate;
