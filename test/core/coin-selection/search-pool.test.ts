import { describe, expect, it } from 'vitest';
import { exact, searchPool } from '../../../src/core/coin-selection/search-pool.ts';
import { COIN, group } from './coins.ts';

describe('search pool', () => {
  it('holds every satoshi that there is, exactly', () => {
    const all = 21_000_000n * COIN;
    const { amounts, from } = searchPool([group(all - 1n), group(1n)], 'given');
    expect(BigInt(amounts[0]!)).toBe(all - 1n);
    expect(BigInt(from[0]!)).toBe(all);
  });

  it('refuses amounts whose sums would not be exact', () => {
    expect(() => exact(2n ** 53n)).toThrow(RangeError);
    expect(() =>
      searchPool(
        Array.from({ length: 5 }, () => group(21_000_000n * COIN)),
        'given',
      ),
    ).toThrow(RangeError);
  });

  it('sorts by amount, then by waste, then by weight', () => {
    const [a, b, c, d] = [group(9n, 0n, 0n, 1), group(5n + 3n, 3n, 0n, 1), group(5n, 0n, 0n, 9), group(5n, 0n, 0n, 2)];
    expect(searchPool([b, c, d, a], 'less-waste-first').groups).toEqual([a, d, c, b]);
    expect(searchPool([c, b, d, a], 'lighter-first').groups).toEqual([a, b, d, c]);
  });
});
