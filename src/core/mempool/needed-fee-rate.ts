/** What feerate a block took: by what waited before it, and what still waited after it. */
import type { FeeRateBand } from './fee-rate-bands.ts';
import { BLOCK_VSIZE } from './recommended-fees.ts';

/** Of feerates within 2.5 %, so that what changes hands among near ones (a new child, a replacement) does not look as if it were mined. */
export interface FeeRateStep {
  readonly step: number;
  /** The least in it, sat/kvB. */
  readonly rate: number;
  readonly vsize: number;
}

const STEP = Math.log(1.025);
/** Bands between two pauses: a few milliseconds. */
const AT_ONCE = 5_000;
/** A block less full than this takes whatever pays the minimum. */
const FULL = 0.9 * BLOCK_VSIZE;
/** No transaction that waited was taken: no feerate sufficed. The largest that a payment may have, sat/kvB. */
export const NONE_SUFFICED = 10_000_000;

/** By descending feerate, as the bands are. */
export function* feeRateSteps(bands: readonly FeeRateBand[]): Generator<undefined, FeeRateStep[]> {
  const made: { step: number; rate: number; vsize: number }[] = [];
  for (const [index, { feeRate, vsize }] of bands.entries()) {
    if ((index + 1) % AT_ONCE === 0) yield;
    const rate = Math.max(1, Number(feeRate));
    const step = Math.floor(Math.log(rate) / STEP);
    const last = made.at(-1);
    if (last?.step !== step) made.push({ step, rate, vsize });
    else {
      last.rate = Math.min(last.rate, rate);
      last.vsize += vsize;
    }
  }
  return made;
}

/** Where what waits now fills so many blocks; `floor` (what the mempool takes) where it does not. */
export function rateAtDepth(waiting: readonly FeeRateStep[], blocks: number, floor: number): number {
  let passed = 0;
  for (const { rate, vsize } of waiting) {
    passed += vsize;
    if (passed > BLOCK_VSIZE * blocks) return Math.max(floor, rate);
  }
  return floor;
}

/**
 * The feerate at which most of what paid more was taken and most of what paid less was left by the blocks between. `floor` where they had
 * room for all, NONE_SUFFICED where they took nothing. What came or went otherwise meanwhile is noise: there must not be much of it.
 */
export function neededFeeRate(
  before: readonly FeeRateStep[],
  after: readonly FeeRateStep[],
  { floor, blocks }: { readonly floor: number; readonly blocks: number },
): number {
  if (before.length === 0) return floor;
  const left = new Map(after.map(({ step, vsize }) => [step, vsize]));
  let [net, taken, most] = [0, 0, 0];
  let needed = NONE_SUFFICED;
  for (const [index, { step, rate, vsize }] of before.entries()) {
    const stayed = Math.min(vsize, left.get(step) ?? 0);
    taken += vsize - stayed;
    net += vsize - 2 * stayed;
    if (net <= most) continue;
    most = net;
    needed = index === before.length - 1 && taken < FULL * blocks ? floor : Math.max(floor, rate);
  }
  return needed;
}
