import type { RoundingInterval } from '../contract-info.ts';

/** From here on payouts are rounded to multiples of `unit` satoshis. */
export interface RoundingStretch {
  readonly from: bigint;
  readonly unit: bigint;
}

/** dlcspecs NumericOutcome.md, "Rounding Intervals": 1 before the first. The intervals must strictly rise. */
export function roundingStretches(intervals: readonly RoundingInterval[]): RoundingStretch[] {
  const stretches = intervals.map(({ beginInterval, roundingMod }) => ({ from: beginInterval, unit: roundingMod }));
  return stretches[0]?.from === 0n ? stretches : [{ from: 0n, unit: 1n }, ...stretches];
}

export function roundingAt(intervals: readonly RoundingInterval[], outcome: bigint): bigint {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (intervals[middle]!.beginInterval <= outcome) low = middle + 1;
    else high = middle;
  }
  return intervals[low - 1]?.roundingMod ?? 1n;
}

/** The same rounding with its first interval at 0, written out: rust-dlc and dlcdevkit refuse a contract without one. */
export const roundingFromZero = (intervals: readonly RoundingInterval[]): readonly RoundingInterval[] =>
  intervals[0]?.beginInterval === 0n ? intervals : [{ beginInterval: 0n, roundingMod: 1n }, ...intervals];
