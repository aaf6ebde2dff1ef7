import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { feeHistogram } from '../../../src/core/mempool/fee-histogram.ts';
import { type FeeKnowledge, recommendedFees } from '../../../src/core/mempool/recommended-fees.ts';

/** Rates in sat/vB. */
const rate = (satPerVb: number) => BigInt(Math.round(satPerVb * 1000)) as FeeRate;
const bands = (...of: [satPerVb: number, vsize: number][]) =>
  of.map(([satPerVb, vsize]) => ({ feeRate: rate(satPerVb), vsize }));
const recommended = (more: Partial<FeeKnowledge> & { estimates?: Record<number, number> }) => {
  const { estimates = {}, ...given } = more;
  const estimate = (target: number) =>
    estimates[target] === undefined ? ('unavailable' as const) : rate(estimates[target]);
  const fees = recommendedFees({ bands: [], minimum: rate(1), estimate, ...given });
  return Object.values(fees).map((one) => (one === 'unavailable' ? one : Number(one) / 1000));
};

describe('recommendedFees', () => {
  it('are the medians of the blocks that would be mined now', () => {
    const waiting = bands([50, 400_000], [20, 800_000], [8, 1_000_000], [3, 900_000]);
    // 499,000 vB into the first block is at 20, 1,497,000 at 8, 2,495,000 at 3.
    expect(recommended({ bands: waiting })).toEqual([20, 8, 3, 2, 1]);
  });

  it('are the minimum where a block would not be half full', () => {
    expect(recommended({ bands: bands([50, 400_000]) })).toEqual([1, 1, 1, 1, 1]);
    expect(recommended({ bands: bands([50, 600_000]) })).toEqual([50, 1, 1, 1, 1]);
  });

  it('heed the estimator for the next block, and alone where the mempool is not shown', () => {
    expect(recommended({ estimates: { 2: 30, 3: 20, 6: 10 } })).toEqual([30, 1, 1, 1, 1]);
    expect(recommended({ bands: null, estimates: { 2: 30, 3: 20, 6: 10 } })).toEqual([30, 20, 10, 2, 1]);
    expect(recommended({ bands: null, estimates: { 2: 5, 3: 20, 6: 10 } })).toEqual([5, 5, 5, 2, 1]);
  });

  it('are unavailable where nothing is known', () => {
    const no = 'unavailable';
    expect(recommended({ bands: null })).toEqual([no, no, no, 2, 1]);
    expect(recommended({ bands: null, minimum: null })).toEqual([no, no, no, no, no]);
    // Without the floor a block that is not half full says nothing.
    expect(recommended({ minimum: null, estimates: { 2: 30 } })).toEqual([30, no, no, no, no]);
  });

  it('never lie below what the mempool takes', () => {
    expect(recommended({ minimum: rate(40), bands: bands([20, 2_000_000]), estimates: { 2: 30 } })).toEqual([
      40, 40, 40, 40, 40,
    ]);
  });
});

describe('feeHistogram', () => {
  it('puts each band under the bound that it reaches', () => {
    const buckets = feeHistogram(
      bands([5_000, 1], [2_000, 2], [1_999.999, 4], [10, 8], [9.999, 16], [1, 32], [0.15, 64], [0.05, 128], [0, 256]),
    );
    expect(buckets.map(({ from, vsize }) => [Number(from) / 1000, vsize])).toEqual([
      [2_000, 3],
      [1_800, 4],
      [10, 8],
      [8, 16],
      [1, 32],
      [0.1, 64],
      [0, 384],
    ]);
    expect(feeHistogram([])).toEqual([]);
  });
});
