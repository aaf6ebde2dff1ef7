import type { FeeRate } from '../fee-rate.ts';
import { ancestorFee } from './ancestor-fees.ts';
import type { OutputGroup, PricedCoin } from './output-group.ts';

export type SelectionAlgorithm = 'bnb' | 'coin-grinder' | 'knapsack' | 'srd' | 'manual' | 'all';

/** What change costs, in satoshis, at which feerate. */
export interface ChangeCosts {
  /** That is asked for, sat/kvB. */
  readonly feeRate: FeeRate;
  /** Fee of the change output now. */
  readonly changeFeeSats: bigint;
  /** That, plus the fee of spending the change later. */
  readonly costOfChangeSats: bigint;
  /** Less is left to the fee. */
  readonly minViableChangeSats: bigint;
}

/** A chosen set of coins with its merits. */
export interface Selection {
  readonly algorithm: SelectionAlgorithm;
  readonly coins: readonly PricedCoin[];
  readonly targetSats: bigint;
  readonly amountSats: bigint;
  /** amount less the fees of the inputs. */
  readonly effectiveSats: bigint;
  /** What the unconfirmed ancestors of all coins together lack at the asked feerate. */
  readonly bumpFeeSats: bigint;
  /** 0 where there is none. */
  readonly changeSats: bigint;
  readonly wasteSats: bigint;
  readonly weight: number;
  /** Of one that was searched for: an exhaustive search ended at its bound, so that there may be a less wasteful one. */
  readonly bounded?: boolean;
}

/**
 * Evaluates a set of coins by Core's waste metric: what spending the inputs now costs more than at the long-term feerate, plus the
 * cost of change, or without change the excess that goes to the fee.
 */
export function evaluateSelection(
  algorithm: SelectionAlgorithm,
  coins: readonly PricedCoin[],
  targetSats: bigint,
  costs: ChangeCosts,
  subtractFee: boolean,
): Selection {
  let amountSats = 0n;
  let feeSats = 0n;
  let wasteSats = 0n;
  let weight = 0;
  for (const priced of coins) {
    amountSats += priced.coin.amountSats;
    feeSats += priced.feeSats;
    wasteSats += priced.feeSats - priced.longTermFeeSats;
    weight += priced.weight;
  }
  const { bumpFeeSats, discountSats } = combinedBumpFee(coins, costs.feeRate);
  wasteSats -= discountSats;
  const effectiveSats = amountSats - feeSats + discountSats;
  const excessSats = (subtractFee ? amountSats : effectiveSats) - targetSats;
  const leftSats = subtractFee ? excessSats : excessSats - costs.changeFeeSats;
  const changeSats = leftSats >= costs.minViableChangeSats ? leftSats : 0n;
  wasteSats += changeSats > 0n ? costs.costOfChangeSats : excessSats;
  return { algorithm, coins, targetSats, amountSats, effectiveSats, bumpFeeSats, changeSats, wasteSats, weight };
}

/** Ancestors that several coins share are paid for once. */
function combinedBumpFee(
  coins: readonly PricedCoin[],
  feeRate: FeeRate,
): { bumpFeeSats: bigint; discountSats: bigint } {
  const lacking = coins.filter((priced) => priced.bumpFeeSats > 0n);
  const summed = lacking.reduce((sum, priced) => sum + priced.bumpFeeSats, 0n);
  if (lacking.length < 2) return { bumpFeeSats: summed, discountSats: 0n };
  const combined = ancestorFee(
    lacking.map((priced) => priced.coin),
    feeRate,
  );
  return { bumpFeeSats: combined, discountSats: summed - combined };
}

export const coinsOf = (groups: readonly OutputGroup[]): PricedCoin[] => groups.flatMap((group) => group.coins);

/** Least waste; of equal ones the one that spends more inputs. */
export function leastWaste(selections: readonly Selection[]): Selection | null {
  let best: Selection | null = null;
  for (const one of selections) {
    if (
      !best ||
      one.wasteSats < best.wasteSats ||
      (one.wasteSats === best.wasteSats && one.coins.length > best.coins.length)
    )
      best = one;
  }
  return best;
}
