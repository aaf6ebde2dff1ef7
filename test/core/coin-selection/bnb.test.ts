import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectBnb } from '../../../src/core/coin-selection/bnb.ts';
import type { OutputGroup } from '../../../src/core/coin-selection/output-group.ts';
import { amounts, CENT, coin, group, groups, MAX_WEIGHT, subsets } from './coins.ts';

const goal = (targetSats: bigint, costOfChangeSats = CENT / 2n, maxWeight = MAX_WEIGHT) => ({
  targetSats,
  costOfChangeSats,
  maxWeight,
});
const pool = (...values: number[]): OutputGroup[] => groups(values.map((value) => coin(BigInt(value) * CENT)));

describe('Branch and Bound', () => {
  it.each([
    { coins: [1, 2, 3, 4], target: 1, chosen: [1] },
    { coins: [1, 2, 3, 4], target: 2, chosen: [2] },
    { coins: [1, 2, 3, 4], target: 5, chosen: [2, 3] },
    { coins: [1, 2, 3, 4], target: 10, chosen: [1, 2, 3, 4] },
    { coins: [10, 9, 8, 5, 3, 1], target: 16, chosen: [3, 5, 8] },
    { coins: [5, 5, 5, 5, 5, 5, 5], target: 30, chosen: [5, 5, 5, 5, 5, 5] },
  ])('pays $target of $coins exactly with $chosen', ({ coins, target, chosen }) => {
    const result = selectBnb(pool(...coins), goal(BigInt(target) * CENT));
    expect(amounts(result.groups)).toEqual(chosen.map((value) => BigInt(value) * CENT));
  });

  it('finds nothing where the coins do not suffice', () => {
    expect(selectBnb(pool(1, 2, 3, 4), goal(11n * CENT))).toEqual({
      groups: null,
      complete: true,
      reason: 'insufficient',
    });
    expect(selectBnb([], goal(1n))).toEqual({ groups: null, complete: true, reason: 'insufficient' });
  });

  it('takes an excess up to the cost of change, and not one satoshi more', () => {
    const coins = groups([coin(2n * CENT)]);
    expect(amounts(selectBnb(coins, goal(2n * CENT - 500n, 500n)).groups)).toEqual([2n * CENT]);
    expect(selectBnb(coins, goal(2n * CENT - 501n, 500n)).groups).toBeNull();
  });

  it('names the weight where only too heavy sets would pay, and finds a light twin', () => {
    const heavy = [10, 9, 8, 3, 1].map((value) => coin(BigInt(value) * CENT));
    const withHeavy = [...heavy, coin(5n * CENT, { vsize: MAX_WEIGHT })];
    const target = goal(16n * CENT, 0n);
    expect(selectBnb(groups(withHeavy), target)).toEqual({ groups: null, complete: true, reason: 'max-weight' });
    const found = selectBnb(groups([...withHeavy, coin(5n * CENT)]), target);
    expect(amounts(found.groups)).toEqual([3n * CENT, 5n * CENT, 8n * CENT]);
  });

  it('skips twins: 50,000 equal coins are no obstacle', () => {
    const coins = [...Array.from({ length: 50_000 }, () => 5), 4];
    expect(selectBnb(pool(...coins), goal(BigInt(30) * CENT, 0n)).groups).toHaveLength(6);
    expect(selectBnb(pool(...coins), goal(BigInt(33) * CENT, 0n)).groups).toBeNull();
  });

  it('gives up after its tries on a hard case', () => {
    // Pairs that differ by less and less, so that every pair can be told apart only at the end.
    const hard = (pairs: number): [OutputGroup[], bigint] => {
      const coins: OutputGroup[] = [];
      let target = 0n;
      for (let i = 0; i < pairs; i++) {
        target += 1n << BigInt(pairs + i);
        coins.push(group(1n << BigInt(pairs + i)), group((1n << BigInt(pairs + i)) + (1n << BigInt(pairs - 1 - i))));
      }
      return [coins, target];
    };
    const [easy, reachable] = hard(14);
    expect(selectBnb(easy, goal(reachable, 1n)).groups).not.toBeNull();
    const [tooHard, target] = hard(17);
    expect(selectBnb(tooHard, goal(target, 1n)).groups).toBeNull();
  });

  it('prefers few inputs at high feerates and many at low ones', () => {
    const values = [10, 5, 5].map((value) => BigInt(value) * CENT);
    const priced = (now: bigint, longTerm: bigint): OutputGroup[] =>
      groups(
        values.map((value) => coin(value + (now * 68n) / 1000n)),
        { now, longTerm },
      );
    expect(selectBnb(priced(30_000n, 10_000n), goal(10n * CENT, 0n)).groups).toHaveLength(1);
    expect(selectBnb(priced(5000n, 10_000n), goal(10n * CENT, 0n)).groups).toHaveLength(2);
  });

  it('is as little wasteful as the best of all minimal sets in range', () => {
    const anyGroup = fc
      .tuple(fc.bigInt(1n, 60n), fc.integer({ min: 1, max: 4 }))
      .map(([value, size]) => ({ value, size }));
    fc.assert(
      fc.property(
        fc.array(anyGroup, { minLength: 1, maxLength: 10 }),
        fc.bigInt(1n, 200n),
        fc.bigInt(0n, 20n),
        fc.constantFrom([3n, 1n], [1n, 3n], [2n, 2n]),
        (parts, target, cost, [now, longTerm]) => {
          const coins = parts.map(({ value, size }) =>
            group(value + now! * BigInt(size), now! * BigInt(size), longTerm! * BigInt(size), size),
          );
          let best: bigint | null = null;
          for (const set of subsets(coins)) {
            const sum = set.reduce((amount, one) => amount + one.selectionSats, 0n);
            if (set.length === 0 || sum < target || sum > target + cost) continue;
            const smallest = set.reduce((a, b) => (b.selectionSats < a.selectionSats ? b : a));
            if (sum - smallest.selectionSats >= target) continue;
            const waste = wasteOf(set, target);
            if (best === null || waste < best) best = waste;
          }
          const result = selectBnb(coins, { targetSats: target, costOfChangeSats: cost, maxWeight: MAX_WEIGHT });
          expect(result.groups === null ? null : wasteOf(result.groups, target)).toBe(best);
        },
      ),
      { numRuns: 400 },
    );
  });
});

function wasteOf(set: readonly OutputGroup[], target: bigint): bigint {
  return set.reduce((waste, one) => waste + one.feeSats - one.longTermFeeSats + one.selectionSats, -target);
}
