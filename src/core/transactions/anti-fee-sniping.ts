import type { RandomSource } from '../coin-selection/random-source.ts';
import type { PlanTip } from '../payments/payment-plan.ts';

/** Signals BIP125 replaceability, leaves relative locktimes (BIP68) off and the locktime on. */
export const SEQUENCE_RBF = 0xfffffffd;
/** The highest sequence that leaves the locktime on; no BIP125 signal. */
export const SEQUENCE_FINAL_WITH_LOCKTIME = 0xfffffffe;

/**
 * The locktime that discourages fee sniping, as Bitcoin Core sets it: the tip's height, so that only the next block can hold the
 * transaction; one in ten up to 99 blocks earlier, for the privacy of delayed ones; 0 while our tip is not recent.
 * Never below what the coins' scripts wait for.
 */
export function antiFeeSnipingLocktime(tip: PlanTip, random: RandomSource): number {
  const least = tip.afterHeight ?? 0;
  if (!tip.recent) return least;
  if (random.below(10) !== 0) return tip.height;
  return Math.max(least, tip.height - random.below(100));
}
