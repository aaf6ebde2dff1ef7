import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectCoinGrinder } from '../../../src/core/coin-selection/coin-grinder.ts';
import { amounts, btc, CENT, COIN, coin, group, groups, MAX_WEIGHT, subsets } from './coins.ts';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const RATE = { now: 5000n, longTerm: 2000n };
const goal = (targetSats: bigint, maxWeight = MAX_WEIGHT, changeTargetSats = CENT) => ({
  targetSats,
  changeTargetSats,
  maxWeight,
});

describe('CoinGrinder', () => {
  const tenOfEach = [...times(10, () => coin(COIN)), ...times(10, () => coin(2n * COIN))];

  it('finds nothing where the coins do not suffice', () => {
    expect(selectCoinGrinder(groups(tenOfEach, RATE), goal(btc('49.5'), 10_000))).toEqual({
      groups: null,
      complete: true,
      reason: 'insufficient',
    });
  });

  it('names the weight where every sufficient set is too heavy', () => {
    expect(selectCoinGrinder(groups(tenOfEach, RATE), goal(btc('29.5'), 3000))).toEqual({
      groups: null,
      complete: true,
      reason: 'max-weight',
    });
  });

  // The numbers of tries are those of the reference implementation: a search that prunes less well takes more.
  it.each([
    {
      name: 'the lightest of sets of which some are too heavy',
      coins: [...times(60, () => coin(btc('0.33'))), ...times(10, () => coin(2n * COIN))],
      goal: goal(btc('25.33'), 10_000),
      chosen: [...times(17, () => btc('0.33')), ...times(10, () => 2n * COIN)],
      tries: 37,
    },
    {
      name: 'two light coins rather than a heavy one',
      coins: [coin(2n * COIN, { vsize: 148 }), coin(COIN), coin(COIN)],
      goal: goal(btc('1.9')),
      chosen: [COIN, COIN],
      tries: 3,
    },
    {
      name: 'a mixture of weights',
      coins: times(5, (j) => [
        coin(BigInt(3 + 3 * j) * COIN, { vsize: 350 }),
        coin(BigInt(2 + 3 * j) * COIN, { vsize: 250 }),
        coin(BigInt(1 + 3 * j) * COIN, { vsize: 150 }),
      ]).flat(),
      goal: goal(btc('30')),
      chosen: [4n * COIN, 13n * COIN, 14n * COIN],
      tries: 92,
    },
    {
      name: 'the lightest among many twins',
      coins: [
        ...[4, 3, 2, 1].map((value) => coin(BigInt(value) * COIN, { vsize: 100 })),
        ...[
          [8, 1000],
          [7, 800],
          [6, 600],
          [5, 400],
        ].flatMap(([value, vsize]) => times(100, () => coin(BigInt(value!) * COIN, { vsize: vsize! }))),
      ],
      goal: goal(btc('9.9')),
      chosen: [COIN, 2n * COIN, 3n * COIN, 4n * COIN],
      tries: 38,
    },
    {
      name: 'past many tiny coins too heavy to help',
      coins: [
        coin(btc('1.8'), { vsize: 2500 }),
        coin(COIN, { vsize: 1000 }),
        coin(COIN, { vsize: 1000 }),
        ...times(100, (j) => coin(btc('0.01') + BigInt(j), { vsize: 110 })),
      ],
      goal: goal(btc('1.9'), 40_000),
      chosen: [COIN, COIN],
      tries: 7,
    },
  ])('finds $name', ({ coins, goal, chosen, tries }) => {
    const result = selectCoinGrinder(groups(coins, RATE), goal);
    expect(amounts(result.groups)).toEqual(chosen);
    expect(result).toMatchObject({ complete: true, tries });
  });

  it('is the lightest of all sufficient sets, and of those the least', () => {
    const anyGroup = fc
      .tuple(fc.bigInt(1n, 40n), fc.integer({ min: 1, max: 9 }))
      .map(([value, weight]) => group(value, 0n, 0n, weight));
    fc.assert(
      fc.property(
        fc.array(anyGroup, { minLength: 1, maxLength: 11 }),
        fc.bigInt(1n, 150n),
        fc.bigInt(0n, 20n),
        fc.integer({ min: 5, max: 60 }),
        (coins, target, change, maxWeight) => {
          let best: { weight: number; amount: bigint } | null = null;
          for (const set of subsets(coins)) {
            const amount = set.reduce((sum, one) => sum + one.selectionSats, 0n);
            const weight = set.reduce((sum, one) => sum + one.weight, 0);
            if (set.length === 0 || amount < target + change || weight > maxWeight) continue;
            if (!best || weight < best.weight || (weight === best.weight && amount < best.amount))
              best = { weight, amount };
          }
          const { groups: found } = selectCoinGrinder(coins, goal(target, maxWeight, change));
          const got = found && {
            weight: found.reduce((sum, one) => sum + one.weight, 0),
            amount: found.reduce((sum, one) => sum + one.selectionSats, 0n),
          };
          expect(got).toEqual(best);
        },
      ),
      { numRuns: 600 },
    );
  });
});
