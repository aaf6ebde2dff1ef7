import { describe, expect, it } from 'vitest';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import { selectKnapsack } from '../../../src/core/coin-selection/knapsack.ts';
import { amounts, btc, CENT, COIN, cents, coin, groups, MAX_WEIGHT, randomFrom, total } from './coins.ts';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const RUNS = 25;

function solve(coins: readonly CandidateCoin[], targetSats: bigint, seed: number, maxWeight = MAX_WEIGHT) {
  return selectKnapsack(groups(coins), { targetSats, changeTargetSats: CENT, maxWeight }, randomFrom(seed));
}

/** Amounts in cents, as decimal strings. */
interface Case {
  readonly name: string;
  readonly coins: readonly string[];
  readonly target: string;
  /** null: nothing found. */
  readonly chosen: readonly string[] | null;
}

const CASES: Case[] = [
  { name: 'nothing from nothing', coins: [], target: '1', chosen: null },
  { name: 'an exact coin', coins: ['1'], target: '1', chosen: ['1'] },
  { name: 'an exact sum', coins: ['1', '2'], target: '3', chosen: ['1', '2'] },
  { name: 'all of five coins', coins: ['1', '2', '5', '10', '20'], target: '38', chosen: ['1', '2', '5', '10', '20'] },
  { name: 'the closest sum above', coins: ['1', '2', '5', '10', '20'], target: '34', chosen: ['5', '10', '20'] },
  { name: 'a subset of small coins', coins: ['1', '2', '5', '10', '20'], target: '7', chosen: ['2', '5'] },
  { name: 'exactly the small coins', coins: ['1', '2', '5', '10', '20'], target: '8', chosen: ['1', '2', '5'] },
  { name: 'the next larger coin', coins: ['1', '2', '5', '10', '20'], target: '9', chosen: ['10'] },
  { name: 'all', coins: ['6', '7', '8', '20', '30'], target: '71', chosen: ['6', '7', '8', '20', '30'] },
  { name: 'more than there is', coins: ['6', '7', '8', '20', '30'], target: '72', chosen: null },
  { name: '20 rather than 6+7+8', coins: ['6', '7', '8', '20', '30'], target: '16', chosen: ['20'] },
  { name: '5+6+7 rather than 20', coins: ['5', '6', '7', '8', '20', '30'], target: '16', chosen: ['5', '6', '7'] },
  { name: 'one coin on a tie', coins: ['5', '6', '7', '8', '18', '20', '30'], target: '16', chosen: ['18'] },
  { name: '5+6 for 11', coins: ['5', '6', '7', '8', '18', '20', '30'], target: '11', chosen: ['5', '6'] },
  {
    name: 'the smallest larger coin',
    coins: ['5', '6', '7', '8', '18', '20', '30', '100', '200', '300', '400'],
    target: '95',
    chosen: ['100'],
  },
  {
    name: 'the smallest larger coin again',
    coins: ['5', '6', '7', '8', '18', '20', '30', '100', '200', '300', '400'],
    target: '195',
    chosen: ['200'],
  },
  {
    name: 'the larger coin where small ones leave too little change and none fits',
    coins: ['0.5', '0.6', '0.7', '1111'],
    target: '1',
    chosen: ['1111'],
  },
  {
    name: 'an exact subset where small ones leave too little change',
    coins: ['0.4', '0.6', '0.8', '1111'],
    target: '1',
    chosen: ['0.4', '0.6'],
  },
  {
    name: 'all three, avoiding small change',
    coins: ['0.05', '1', '100'],
    target: '100.01',
    chosen: ['0.05', '1', '100'],
  },
  {
    name: 'the larger small coin, avoiding small change',
    coins: ['0.05', '1', '100'],
    target: '99.9',
    chosen: ['1', '100'],
  },
];

describe('knapsack', () => {
  it.each(CASES)('finds $name: $target of $coins', ({ coins, target, chosen }) => {
    const pool = coins.map((value) => coin(cents(value)));
    for (let run = 0; run < RUNS; run++) {
      const found = amounts(solve(pool, cents(target), run).groups);
      expect(found).toEqual((chosen ?? []).map(cents).sort((a, b) => (a < b ? -1 : 1)));
    }
  });

  it.each([
    ['0.1', '0.2', '0.3', '0.4', '0.5'],
    ['0.1', '0.2', '0.3', '0.4', '0.5', '1111'],
    ['0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7', '1111'],
  ])('pays one cent exactly from fractions of a cent', (...values) => {
    const pool = values.map((value) => coin(cents(value)));
    for (let run = 0; run < RUNS; run++) expect(total(solve(pool, CENT, run).groups)).toBe(CENT);
  });

  it('takes ten of twenty equal coins for ten of them', () => {
    const pool = times(20, () => coin(50_000n * COIN));
    for (let run = 0; run < RUNS; run++) {
      const { groups: chosen } = solve(pool, 500_000n * COIN, run);
      expect(chosen).toHaveLength(10);
    }
  });

  it.each([
    1500n,
    15_000n,
    150_000n,
    1_500_000n,
    15_000_000n,
  ])('takes no more of 676 coins of %s than needed', (value) => {
    const pool = times(676, () => coin(value));
    const needed = value - 2000n < CENT ? (2000n + CENT + value - 1n) / value : 1n;
    for (let run = 0; run < 4; run++) expect(solve(pool, 2000n, run).groups).toHaveLength(Number(needed));
  });

  it('finds one small coin beside a thousand large ones', () => {
    const pool = [...times(1000, () => coin(1000n * COIN)), coin(3n * COIN)];
    expect(amounts(solve(pool, 1003n * COIN, 1).groups)).toEqual([3n * COIN, 1000n * COIN]);
  });

  it('chooses among equal coins at random', () => {
    const pool = times(100, () => coin(COIN));
    const chosen = (target: bigint, seed: number) =>
      solve(pool, target, seed)
        .groups!.flatMap((one) => one.coins.map((priced) => priced.coin.txid))
        .sort();
    expect(chosen(50n * COIN, 1)).not.toEqual(chosen(50n * COIN, 2));
    expect(new Set(Array.from({ length: 20 }, (_, seed) => chosen(COIN, seed).join())).size).toBeGreaterThan(10);
  });

  it('chooses among equally good larger coins at random', () => {
    const pool = [...times(100, () => coin(COIN)), ...['5', '10', '15', '20', '25'].map((value) => coin(cents(value)))];
    const seen = new Set<string>();
    for (let run = 0; run < 20; run++) {
      const { groups: chosen } = solve(pool, 90n * CENT, run);
      expect(amounts(chosen)).toEqual([COIN]);
      seen.add(chosen![0]!.coins[0]!.coin.txid);
    }
    expect(seen.size).toBeGreaterThan(5);
  });

  it('spends a large coin rather than too many small ones', () => {
    const pool = [...times(1515, () => coin(btc('0.033'))), coin(50n * COIN)];
    expect(amounts(solve(pool, btc('49.5'), 1, 398_000).groups)).toEqual([50n * COIN]);
    expect(solve(pool.slice(0, -1), btc('49.5'), 1, 398_000)).toEqual({
      groups: null,
      complete: true,
      reason: 'max-weight',
    });
  });

  it('may spend dust along', () => {
    const dust = groups([coin(100n)], { now: 10_000n });
    const [negative] = dust;
    expect(negative!.selectionSats).toBeLessThan(0n);
    const pool = [...dust, ...groups([coin(2n * CENT)], { now: 10_000n })];
    const found = selectKnapsack(
      pool,
      { targetSats: CENT, changeTargetSats: 0n, maxWeight: MAX_WEIGHT },
      randomFrom(1),
    );
    expect(total(found.groups)).toBeGreaterThanOrEqual(CENT);
  });
});
