/** Feerates by target: what they are made of, and that intervals hold what they say. */
import { describe, expect, it } from 'vitest';
import {
  FEE_HISTORY,
  FEE_TARGETS,
  type FeeObservation,
  type FeeSigns,
  type FeeTarget,
  feeCalibration,
  feePast,
  forecastFees,
  LEAST_OUTCOMES,
} from '../../../src/core/analytics/fee-forecast.ts';
import { normals } from '../../builders/random-series.ts';

type Block = FeeSigns & { readonly needed: number | null };
/** The same signs of every target. */
const said = (signs: FeeSigns, intervals: FeeObservation['said'][1]['intervals'] = null) =>
  Object.fromEntries(FEE_TARGETS.map((target) => [target, { ...signs, intervals }])) as FeeObservation['said'];

/** As the service does: a prediction after each block, from what is known by then. */
function followed(blocks: readonly Block[], target: FeeTarget) {
  const rows: FeeObservation[] = [];
  for (const [height, { needed, ...signs }] of blocks.entries()) {
    const known = [...rows.slice(-FEE_HISTORY), { height, needed, said: said(signs) }];
    const forecast = forecastFees(feePast(known, target), signs, target);
    rows.push({ height, needed, said: said(signs, forecast?.intervals ?? null) });
  }
  const past = feePast(rows, target);
  return { calibration: feeCalibration(past, target), forecast: forecastFees(past, blocks.at(-1)!, target), past };
}

/** Feerates that wander, and what is known of each block before it comes. */
function wandering(count: number, seed: number, noise: { mempool: number; estimate: number }): Block[] {
  const random = normals(seed);
  let level = Math.log(5_000);
  const levels = Array.from({ length: count + 1 }, () => (level += 0.15 * random() - 0.02 * (level - Math.log(5_000))));
  const near = (at: number, deviation: number) => Math.round(Math.exp(levels[at]! + deviation * random()));
  return levels.slice(1).map((_, at) => ({
    needed: near(at, 0.05),
    mempool: near(at + 1, noise.mempool),
    estimate: near(Math.max(0, at - 5), noise.estimate) * 2,
  }));
}

describe('A feerate by target', () => {
  it.each<[FeeTarget, number]>([
    [1, 1],
    [3, 2],
    [12, 3],
  ])('lies within the intervals as often as they say, of %d blocks', (target, seed) => {
    const { calibration } = followed(wandering(900, seed, { mempool: 0.1, estimate: 0.3 }), target);
    for (const { level, share, of } of calibration) {
      expect(of).toBe(900 - LEAST_OUTCOMES - 2 * target + 1);
      expect(Math.abs(share! - level / 100), `${level}: ${share}`).toBeLessThan(target === 12 ? 0.08 : 0.06);
    }
  });

  it('goes by what was least wrong, also where that is always wrong by the same factor', () => {
    const good = { mempool: 0.05, estimate: 0.6 };
    expect(followed(wandering(300, 4, good), 1).forecast).toMatchObject({ model: 'mempool', history: 200 });
    const blocks = wandering(300, 5, good).map((block) => ({ ...block, mempool: 4_000, estimate: block.mempool * 3 }));
    const { forecast } = followed(blocks, 1);
    expect(forecast!.model).toBe('estimate');
    expect(Math.abs(forecast!.point / (blocks.at(-1)!.estimate / 3) - 1)).toBeLessThan(0.05);
  });

  it('is exact where it is constant, hardly moved by a spike, and the floor of an empty mempool', () => {
    const quiet = (needed: number): Block => ({ needed, mempool: 1_000, estimate: null });
    const constant = followed(
      Array.from({ length: 100 }, () => quiet(2_000)),
      1,
    );
    expect(constant.forecast).toMatchObject({ point: 2_000, intervals: { 50: [2_000, 2_000], 95: [2_000, 2_000] } });
    expect(constant.calibration.map(({ share, of }) => [share, of])).toEqual(Array(3).fill([1, 59]));
    const spiked = followed(
      Array.from({ length: 100 }, (_, at) => quiet(at === 70 ? 900_000 : 1_000)),
      3,
    );
    expect(spiked.forecast).toMatchObject({ point: 1_000, intervals: { 80: [1_000, 1_000], 95: [1_000, 1_000] } });
  });

  it('takes enough outcomes, and half of the blocks of each', () => {
    const blocks = Array.from(
      { length: 60 },
      (_, at): Block => ({
        needed: at % 2 === 0 ? 1_000 + at : null,
        ...{ mempool: 1_000, estimate: null },
      }),
    );
    expect(followed(blocks, 1).forecast).toBeNull();
    const { past, calibration } = followed(blocks, 6);
    expect(past.map(({ outcome }) => outcome).slice(50)).toEqual([1_052, 1_052, 1_054, 1_054, ...Array(6).fill(null)]);
    expect(past[10]!.last).toBe(1_006);
    expect(calibration[0]).toMatchObject({ of: 60 - 6 - LEAST_OUTCOMES - 6 + 1 });
    // A height that was not seen is not the one after it.
    const gap = past.map(({ row }) => row).filter(({ height }) => height % 3 !== 1);
    const ofGap = feePast(gap, 1).map(({ outcome }) => outcome);
    expect(ofGap.slice(-5)).toEqual([1_054, null, null, null, null]);
    expect(forecastFees([], blocks[0]!, 1)).toBeNull();
  });
});
