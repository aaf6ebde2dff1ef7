import type { OutputGroup, PricedCoin } from './output-group.ts';

export type SelectionAlgorithm = 'bnb' | 'coin-grinder' | 'knapsack' | 'srd' | 'manual' | 'all';

/** What change costs, in satoshis. */
export interface ChangeCosts {
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
  const { bumpFeeSats, discountSats } = combinedBumpFee(coins);
  wasteSats -= discountSats;
  const effectiveSats = amountSats - feeSats + discountSats;
  const excessSats = (subtractFee ? amountSats : effectiveSats) - targetSats;
  const leftSats = subtractFee ? excessSats : excessSats - costs.changeFeeSats;
  const changeSats = leftSats >= costs.minViableChangeSats ? leftSats : 0n;
  wasteSats += changeSats > 0n ? costs.costOfChangeSats : excessSats;
  return { algorithm, coins, targetSats, amountSats, effectiveSats, bumpFeeSats, changeSats, wasteSats, weight };
}

/** Coins of one unconfirmed transaction lack its ancestors' fees once, not once each. */
function combinedBumpFee(coins: readonly PricedCoin[]): { bumpFeeSats: bigint; discountSats: bigint } {
  const byTransaction = new Map<string, bigint>();
  let summed = 0n;
  for (const { coin, bumpFeeSats } of coins) {
    if (bumpFeeSats === 0n) continue;
    summed += bumpFeeSats;
    byTransaction.set(coin.txid, bumpFeeSats);
  }
  let combined = 0n;
  for (const fee of byTransaction.values()) combined += fee;
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
