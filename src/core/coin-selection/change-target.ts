import type { RandomSource } from './random-source.ts';

/** Least change that is aimed for. */
export const CHANGE_LOWER_SATS = 50_000n;
/** Most that the random change target adds up to. */
const CHANGE_UPPER_SATS = 1_000_000n;

/**
 * The change that knapsack and CoinGrinder aim for, as in Core: 50,000 sat for small payments, else random up to twice the average
 * payment or 0.01 BTC, so that change does not stand out by its size; plus the fee of the change output.
 */
export function generateChangeTarget(averagePaymentSats: bigint, changeFeeSats: bigint, random: RandomSource): bigint {
  if (averagePaymentSats <= CHANGE_LOWER_SATS / 2n) return changeFeeSats + CHANGE_LOWER_SATS;
  const doubled = averagePaymentSats * 2n;
  const upper = doubled < CHANGE_UPPER_SATS ? doubled : CHANGE_UPPER_SATS;
  return changeFeeSats + CHANGE_LOWER_SATS + BigInt(random.below(Number(upper - CHANGE_LOWER_SATS)));
}
