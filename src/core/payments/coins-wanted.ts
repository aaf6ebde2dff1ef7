import type { FeeRate } from '../fee-rate.ts';
import type { SizedInput } from '../transactions/sizing.ts';
import { inputFee } from './coin-sums.ts';
import type { Payees } from './payees.ts';
import { targetOf } from './plan-amounts.ts';

/** Coins next to an amount: so many of at least as much, and of less. */
export interface Near {
  readonly amountSats: bigint;
  readonly above: number;
  readonly below: number;
}

/** How many coins together: next to that part of the target so many are looked at. */
const PARTS = [
  { coins: 1n, above: 40, below: 20 },
  { coins: 2n, above: 20, below: 20 },
  { coins: 3n, above: 10, below: 10 },
  { coins: 4n, above: 10, below: 10 },
] as const;

/** Amounts of which one coin, or as many alike, would pay without change. */
export function coinsWanted(payees: Payees, feeRate: FeeRate, input: SizedInput): Near[] {
  const paysFee = payees.payers.length === 0;
  const targetSats = targetOf(payees, feeRate);
  const perInput = paysFee ? inputFee(input, feeRate) : 0n;
  return PARTS.map(({ coins, ...sides }) => ({ amountSats: targetSats / coins + perInput, ...sides }));
}
