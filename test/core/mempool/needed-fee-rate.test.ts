import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { feeRateSteps, NONE_SUFFICED, neededFeeRate, rateAtDepth } from '../../../src/core/mempool/needed-fee-rate.ts';

function waiting(...bands: readonly [number, number][]) {
  const steps = feeRateSteps(bands.map(([rate, vsize]) => ({ feeRate: BigInt(rate) as FeeRate, vsize })));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
const MINED = { floor: 100, blocks: 1 };

describe('The feerate that a block took', () => {
  const before = waiting([9_000, 500_000], [5_000, 480_000], [3_000, 300_000], [1_000, 2_000_000]);

  it('is that above which most went, whatever came, went or stayed otherwise', () => {
    expect(neededFeeRate(before, waiting([3_000, 300_000], [1_000, 2_000_000]), MINED)).toBe(5_000);
    const noisy = waiting([9_000, 20_000], [7_000, 90_000], [5_000, 150_000], [3_000, 290_000], [1_000, 1_980_000]);
    expect(neededFeeRate(before, noisy, MINED)).toBe(5_000);
    expect(neededFeeRate(before, waiting([1_000, 1_400_000]), { floor: 100, blocks: 2 })).toBe(3_000);
  });

  it('is the floor where there was room for all, also for none, and unbounded where nothing was taken', () => {
    expect(neededFeeRate(waiting([9_000, 500_000], [200, 10]), waiting(), MINED)).toBe(100);
    expect(neededFeeRate(waiting(), waiting([9_000, 1]), MINED)).toBe(100);
    expect(neededFeeRate(before, before, MINED)).toBe(NONE_SUFFICED);
    // A full block took all that waited: what pays less may not have been taken.
    expect(neededFeeRate(waiting([9_000, 500_000], [5_000, 480_000]), waiting(), MINED)).toBe(5_000);
    // Room was left, and a miner takes nothing below.
    expect(neededFeeRate(waiting([9_000, 1_000], [200, 900]), waiting([200, 900]), MINED)).toBe(9_000);
  });

  it('is told before it comes by how much waits', () => {
    expect([1, 2, 3, 4].map((blocks) => rateAtDepth(before, blocks, 100))).toEqual([3_000, 1_000, 1_000, 100]);
    expect(rateAtDepth(waiting(), 1, 100)).toBe(100);
    expect(waiting([1_005, 5], [1_000, 6], [900, 1])).toMatchObject([
      { rate: 1_000, vsize: 11 },
      { rate: 900, vsize: 1 },
    ]);
    const many = Array.from({ length: 20_000 }, (_, at): [number, number] => [30_000 - at, 1]);
    expect(waiting(...many).reduce((sum, { vsize }) => sum + vsize, 0)).toBe(20_000);
  });
});
