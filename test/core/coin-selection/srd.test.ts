import { describe, expect, it } from 'vitest';
import { selectSrd } from '../../../src/core/coin-selection/srd.ts';
import { btc, COIN, coin, groups, randomFrom, total } from './coins.ts';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const goal = (targetSats: bigint, maxWeight: number) => ({ targetSats, changeFeeSats: 0n, maxWeight });

describe('Single Random Draw', () => {
  const tenOfEach = [...times(10, () => coin(COIN)), ...times(10, () => coin(2n * COIN))];

  it('finds nothing where the coins do not suffice', () => {
    expect(selectSrd(groups(tenOfEach), goal(btc('49.5'), 10_000), randomFrom(1))).toEqual({
      groups: null,
      complete: true,
      reason: 'insufficient',
    });
  });

  it('names the weight where it had to drop coins and never sufficed', () => {
    expect(selectSrd(groups(tenOfEach), goal(btc('29.5'), 3000), randomFrom(2))).toEqual({
      groups: null,
      complete: true,
      reason: 'max-weight',
    });
  });

  it('keeps the most valuable coins within the weight', () => {
    const coins = groups([...times(60, () => coin(btc('0.33'))), ...times(10, () => coin(2n * COIN))]);
    for (let seed = 0; seed < 50; seed++) {
      const { groups: chosen } = selectSrd(coins, goal(btc('25.33'), 10_000), randomFrom(seed));
      expect(total(chosen)).toBeGreaterThanOrEqual(btc('25.33') + 50_000n);
      expect(chosen!.reduce((weight, one) => weight + one.weight, 0)).toBeLessThanOrEqual(10_000);
      expect(new Set(chosen).size).toBe(chosen!.length);
    }
  });

  it('stays within the weight where all coins are worth the same', () => {
    const coins = groups([
      ...times(5, () => coin(btc('0.27'), { vsize: 250 })),
      ...times(195, () => coin(btc('0.27'), { vsize: 251 })),
    ]);
    for (let seed = 0; seed < 20; seed++) {
      const { groups: chosen } = selectSrd(coins, goal(COIN, 4020), randomFrom(seed));
      expect(chosen!.reduce((weight, one) => weight + one.weight, 0)).toBeLessThanOrEqual(4020);
    }
  });

  it('leaves room for change of 50,000 sat and its fee', () => {
    const coins = groups([coin(100_000n)]);
    const least = { targetSats: 49_900n, changeFeeSats: 100n, maxWeight: 1000 };
    expect(selectSrd(coins, least, randomFrom(3)).groups).toHaveLength(1);
    expect(selectSrd(coins, { ...least, targetSats: 49_901n }, randomFrom(3)).groups).toBeNull();
  });

  it('draws differently with other randomness', () => {
    const coins = groups(times(100, () => coin(COIN)));
    const drawn = (seed: number) => selectSrd(coins, goal(10n * COIN, 400_000), randomFrom(seed)).groups;
    expect(new Set(drawn(1))).not.toEqual(new Set(drawn(2)));
  });
});
