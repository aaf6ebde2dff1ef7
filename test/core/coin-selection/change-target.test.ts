import { describe, expect, it } from 'vitest';
import { generateChangeTarget } from '../../../src/core/coin-selection/change-target.ts';
import { COIN, randomFrom } from './coins.ts';

describe('change target', () => {
  const targets = (payment: bigint) =>
    Array.from({ length: 300 }, (_, seed) => generateChangeTarget(payment, 31n, randomFrom(seed)));

  it('is 50,000 sat and the fee for small payments', () => {
    for (const payment of [1n, 25_000n]) expect(new Set(targets(payment))).toEqual(new Set([50_031n]));
  });

  it.each([
    [25_001n, 50_002n],
    [100_000n, 200_000n],
    [COIN, 1_000_000n],
  ])('for %s sat is random from 50,000 up to %s', (payment, upper) => {
    for (const target of targets(payment)) {
      expect(target).toBeGreaterThanOrEqual(50_031n);
      expect(target).toBeLessThan(upper + 31n);
    }
    if (upper > 60_000n) expect(new Set(targets(payment)).size).toBeGreaterThan(200);
  });
});
