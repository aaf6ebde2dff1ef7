import { describe, expect, it } from 'vitest';
import type { PricedCoin } from '../../../src/core/coin-selection/output-group.ts';
import { evaluateSelection, leastWaste } from '../../../src/core/coin-selection/selection.ts';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { COIN, coin } from './coins.ts';

const FEE = 100n;
const DIFFERENCE = 40n;
const EXCESS = 80n;
const TARGET = 2n * COIN;
const EXACT = 3n * COIN - 2n * FEE;
const COSTS = { feeRate: 1_000n as FeeRate, minViableChangeSats: 300n, costOfChangeSats: 125n, changeFeeSats: 30n };

/** One unconfirmed transaction that paid nothing: at 1 sat/vB it lacks as many satoshis as it has bytes. */
const lacking = (sats: bigint) => ({
  ...{ ancestorCount: 1, ancestorVsize: Number(sats), ancestorFeesSats: 0n },
  ...{ descendantCount: 1, descendantVsize: Number(sats) },
});

/** Coins of 1 and 2 BTC with these fees each. */
function twoCoins(fee: bigint, longTermFee: bigint, bumpFees: bigint[] = [0n, 0n], txids?: string[]): PricedCoin[] {
  return [COIN, 2n * COIN].map((amount, index) => {
    const bumpFeeSats = bumpFees[index]!;
    const one = coin(amount, bumpFeeSats > 0n ? { confirmations: 0, ancestry: lacking(bumpFeeSats) } : {});
    const feeSats = fee + bumpFeeSats;
    return {
      coin: txids ? { ...one, txid: txids[index]! as typeof one.txid } : one,
      weight: 272,
      feeSats,
      longTermFeeSats: longTermFee,
      bumpFeeSats,
      effectiveSats: amount - feeSats,
    };
  });
}

describe('waste', () => {
  it.each([
    {
      name: 'with change: cost of change and dearer inputs',
      target: TARGET,
      long: FEE - DIFFERENCE,
      waste: 2n * DIFFERENCE + 125n,
    },
    { name: 'with change at a low feerate', target: TARGET, long: FEE + DIFFERENCE, waste: -2n * DIFFERENCE + 125n },
    {
      name: 'without change: the excess and dearer inputs',
      target: EXACT - EXCESS,
      long: FEE - DIFFERENCE,
      waste: 2n * DIFFERENCE + EXCESS,
    },
    {
      name: 'without change at a low feerate',
      target: EXACT - EXCESS,
      long: FEE + DIFFERENCE,
      waste: -2n * DIFFERENCE + EXCESS,
    },
    { name: 'with change at the long-term feerate', target: TARGET, long: FEE, waste: 125n },
    { name: 'without change at the long-term feerate', target: EXACT - EXCESS, long: FEE, waste: EXCESS },
    { name: 'nothing where all fits', target: EXACT, long: FEE, waste: 0n },
    {
      name: 'nothing where cheap inputs make up for the excess',
      target: EXACT - 2n * DIFFERENCE,
      long: FEE + DIFFERENCE,
      waste: 0n,
    },
    {
      name: 'negative where all fits at a low feerate',
      target: EXACT,
      long: FEE + DIFFERENCE,
      waste: -2n * DIFFERENCE,
    },
    { name: 'negative with change at a very low feerate', target: TARGET, long: FEE + 90n, waste: -55n },
  ])('$name', ({ target, long, waste }) => {
    expect(evaluateSelection('manual', twoCoins(FEE, long), target, COSTS, false).wasteSats).toBe(waste);
  });

  it('counts what unconfirmed ancestors lack, once for coins of one transaction', () => {
    const long = FEE + DIFFERENCE;
    const costs = { ...COSTS, minViableChangeSats: 200n, changeFeeSats: 35n };
    const apart = evaluateSelection('manual', twoCoins(FEE, long, [20n, 40n]), TARGET, costs, false);
    expect(apart).toMatchObject({ wasteSats: -2n * DIFFERENCE + 125n + 60n, bumpFeeSats: 60n });
    const one = evaluateSelection('manual', twoCoins(FEE, long, [30n, 30n], ['aa', 'aa']), TARGET, costs, false);
    expect(one).toMatchObject({ wasteSats: -2n * DIFFERENCE + 125n + 30n, bumpFeeSats: 30n });
    expect(one.effectiveSats).toBe(3n * COIN - 2n * FEE - 30n);

    // Without change a discount only moves satoshis from ancestors' fees to the excess.
    const target = 3n * COIN - 2n * FEE - 100n;
    const changeless = evaluateSelection('manual', twoCoins(FEE, long, [30n, 30n], ['aa', 'aa']), target, costs, false);
    expect(changeless.wasteSats).toBe(-2n * DIFFERENCE + 30n + 70n);
  });

  it('makes change from the least viable amount on', () => {
    const at = (change: bigint) =>
      evaluateSelection('manual', twoCoins(FEE, FEE), EXACT - COSTS.changeFeeSats - change, COSTS, false).changeSats;
    expect(at(300n)).toBe(300n);
    expect(at(299n)).toBe(0n);
  });

  it('counts amounts, not effective values, where recipients pay the fee', () => {
    const selection = evaluateSelection('manual', twoCoins(FEE, FEE), 3n * COIN, COSTS, true);
    expect(selection).toMatchObject({ changeSats: 0n, wasteSats: 0n });
    expect(evaluateSelection('manual', twoCoins(FEE, FEE), 3n * COIN - 300n, COSTS, true).changeSats).toBe(300n);
  });
});

describe('least waste', () => {
  it('takes the less wasteful, and of equals the one with more inputs', () => {
    const exact = evaluateSelection('bnb', twoCoins(FEE, FEE), EXACT, COSTS, false);
    const excess = evaluateSelection('srd', twoCoins(FEE, FEE), EXACT - 1n, COSTS, false);
    expect(leastWaste([excess, exact])).toBe(exact);
    const single = { ...exact, coins: exact.coins.slice(0, 1) };
    expect(leastWaste([single, exact])).toBe(exact);
    expect(leastWaste([exact, single])).toBe(exact);
    expect(leastWaste([])).toBeNull();
  });
});
