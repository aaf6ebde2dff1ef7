import type { FeeRate } from '../fee-rate.ts';
import type { FeeRateBand } from './fee-rate-bands.ts';

/** Lower bounds in sat/kvB of the bands shown: the familiar ones in sat/vB, and tenths below one. */
const BOUNDS: readonly bigint[] = [
  ...[0, 100, 200, 300, 400, 500, 600, 700, 800, 900],
  ...[
    1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 125, 150, 175, 200, 250, 300, 350, 400, 500,
  ].map((rate) => rate * 1_000),
  ...[600, 700, 800, 900, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000].map((rate) => rate * 1_000),
].map(BigInt);

export interface HistogramBucket {
  /** What waits here pays at least this, and less than the bucket before. */
  readonly from: FeeRate;
  readonly vsize: number;
}

/** Buckets by descending feerate, without empty ones. */
export function feeHistogram(bands: readonly FeeRateBand[]): HistogramBucket[] {
  const sizes = new Map<bigint, number>();
  let bound = BOUNDS.length - 1;
  for (const { feeRate, vsize } of bands) {
    while (bound > 0 && (BOUNDS[bound] as bigint) > feeRate) bound--;
    const from = BOUNDS[bound] as bigint;
    sizes.set(from, (sizes.get(from) ?? 0) + vsize);
  }
  return [...sizes].map(([from, vsize]) => ({ from: from as FeeRate, vsize }));
}
