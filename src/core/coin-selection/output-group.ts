import { type FeeRate, feeFor } from '../fee-rate.ts';
import { WITNESS_SCALE } from '../relay-policy/limits.ts';
import { inputWeight } from '../transactions/sizing.ts';
import { ancestorFee } from './ancestor-fees.ts';
import type { CandidateCoin } from './candidate.ts';

/** Most coins of one script in one group, so that a much-used address does not make one huge transaction. */
const MAX_GROUP_COINS = 100;

/** A coin with what spending it costs at the asked feerate. */
export interface PricedCoin {
  readonly coin: CandidateCoin;
  readonly weight: number;
  /** Fee of the input now, its unconfirmed ancestors' shortfall included. */
  readonly feeSats: bigint;
  readonly longTermFeeSats: bigint;
  /** What lifting the coin's unconfirmed ancestors to the asked feerate costs; part of feeSats. */
  readonly bumpFeeSats: bigint;
  /** amount - fee: what it adds towards the target. */
  readonly effectiveSats: bigint;
}

/** Coins that are spent together or not at all. */
export interface OutputGroup {
  readonly coins: readonly PricedCoin[];
  readonly amountSats: bigint;
  readonly effectiveSats: bigint;
  /** What selection counts: the effective value, or the amount where recipients pay the fee. */
  readonly selectionSats: bigint;
  readonly feeSats: bigint;
  readonly longTermFeeSats: bigint;
  readonly weight: number;
  /** The least of its coins. */
  readonly confirmations: number;
  /** Every coin is our own change. */
  readonly own: boolean;
  /** Summed over the coins: too high where coins share ancestors, never too low. */
  readonly ancestors: number;
  readonly descendants: number;
}

export interface GroupingRates {
  readonly feeRate: FeeRate;
  readonly longTermFeeRate: FeeRate;
  /** Recipients pay the fee. */
  readonly subtractFee: boolean;
}

/** Prices coins, each kind of input once. Sizes are rounded up to whole virtual bytes per input, as Core does. */
export function createPricer(rates: GroupingRates): (coin: CandidateCoin) => PricedCoin {
  const known = new Map<number, { readonly now: bigint; readonly longTerm: bigint }>();
  /** By the transaction that made the coin. */
  const bumpFees = new Map<string, bigint>();
  const bumpFeeOf = (coin: CandidateCoin): bigint => {
    const fee = bumpFees.get(coin.txid) ?? ancestorFee([coin], rates.feeRate);
    bumpFees.set(coin.txid, fee);
    return fee;
  };
  return (coin) => {
    const weight = inputWeight(coin.scriptType, coin.inputWeight);
    let fees = known.get(weight);
    if (!fees) {
      const vsize = Math.ceil(weight / WITNESS_SCALE);
      fees = { now: feeFor(rates.feeRate, vsize), longTerm: feeFor(rates.longTermFeeRate, vsize) };
      known.set(weight, fees);
    }
    const bumpFeeSats = coin.confirmations > 0 ? 0n : bumpFeeOf(coin);
    const feeSats = fees.now + bumpFeeSats;
    return {
      coin,
      weight,
      feeSats,
      longTermFeeSats: fees.longTerm,
      bumpFeeSats,
      effectiveSats: coin.amountSats - feeSats,
    };
  };
}

export const priceCoin = (coin: CandidateCoin, rates: GroupingRates): PricedCoin => createPricer(rates)(coin);

export function toGroup(coins: readonly PricedCoin[], subtractFee: boolean): OutputGroup {
  let amountSats = 0n;
  let feeSats = 0n;
  let longTermFeeSats = 0n;
  let weight = 0;
  let confirmations = Number.POSITIVE_INFINITY;
  let own = true;
  let ancestors = 0;
  let descendants = 0;
  for (const priced of coins) {
    const { coin } = priced;
    amountSats += coin.amountSats;
    feeSats += priced.feeSats;
    longTermFeeSats += priced.longTermFeeSats;
    weight += priced.weight;
    confirmations = Math.min(confirmations, coin.confirmations);
    own &&= coin.own;
    if (coin.confirmations === 0) {
      ancestors += coin.ancestry?.ancestorCount ?? 1;
      descendants = Math.max(descendants, coin.ancestry?.descendantCount ?? 1);
    }
  }
  const effectiveSats = amountSats - feeSats;
  return {
    coins,
    amountSats,
    effectiveSats,
    selectionSats: subtractFee ? amountSats : effectiveSats,
    feeSats,
    longTermFeeSats,
    weight,
    confirmations,
    own,
    ancestors,
    descendants,
  };
}

/** The groups of one script, the last of which may be partial: smaller than the others. */
export interface ScriptGroups {
  readonly full: readonly OutputGroup[];
  readonly partial: OutputGroup | null;
}

/** Groups coins by script in their given order. `together: false` makes every coin its own group. */
export function groupByScript(
  coins: readonly PricedCoin[],
  options: { subtractFee: boolean; together: boolean },
): ScriptGroups[] {
  if (!options.together) return coins.map((coin) => ({ full: [toGroup([coin], options.subtractFee)], partial: null }));
  const byScript = new Map<string, PricedCoin[]>();
  for (const priced of coins) {
    const same = byScript.get(priced.coin.scriptPubKey);
    if (same) same.push(priced);
    else byScript.set(priced.coin.scriptPubKey, [priced]);
  }
  return [...byScript.values()].map((same) => split(same, options.subtractFee));
}

function split(coins: readonly PricedCoin[], subtractFee: boolean): ScriptGroups {
  if (coins.length <= MAX_GROUP_COINS) return { full: [toGroup(coins, subtractFee)], partial: null };
  const groups: OutputGroup[] = [];
  for (let from = 0; from < coins.length; from += MAX_GROUP_COINS)
    groups.push(toGroup(coins.slice(from, from + MAX_GROUP_COINS), subtractFee));
  const last = groups.pop() ?? null;
  return { full: groups, partial: last };
}
