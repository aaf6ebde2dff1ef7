import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../../src/core/coin-selection/random-source.ts';
import { randomFrom } from './coins.ts';

describe('random source', () => {
  it('stays below its limit and reaches every value', () => {
    const random = randomFrom(1);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) counts[random.below(10)]!++;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    expect(random.below(1)).toBe(0);
    expect(random.below(2 ** 32)).toBeGreaterThanOrEqual(0);
  });

  it('tosses a fair coin', () => {
    const random = randomFrom(2);
    let heads = 0;
    for (let i = 0; i < 10_000; i++) if (random.bool()) heads++;
    expect(Math.abs(heads - 5000)).toBeLessThan(250);
  });

  it('shuffles every item to every place', () => {
    const random = randomFrom(3);
    const seen = new Set<string>();
    for (let i = 0; i < 500; i++) seen.add(random.shuffle([1, 2, 3, 4]).join(''));
    expect(seen.size).toBe(24);
  });

  it('moves on from a seed of zeros', () => {
    const random = createRandomSource((size) => new Uint8Array(size));
    expect(new Set(Array.from({ length: 20 }, () => random.below(1000))).size).toBeGreaterThan(5);
  });
});
