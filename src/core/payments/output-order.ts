import type { RandomSource } from '../coin-selection/random-source.ts';
import type { PlannedInput, PlannedOutput } from './payment-plan.ts';

/** Puts inputs and outputs in random order, or in that of BIP69 (by txid and index; by amount and script). */
export function orderPlan(
  inputs: readonly PlannedInput[],
  outputs: readonly PlannedOutput[],
  order: 'shuffle' | 'bip69',
  random: RandomSource,
): { inputs: PlannedInput[]; outputs: PlannedOutput[] } {
  if (order === 'shuffle') return { inputs: random.shuffle([...inputs]), outputs: random.shuffle([...outputs]) };
  return {
    inputs: [...inputs].sort((a, b) => compare(a.txid, b.txid) || a.vout - b.vout),
    outputs: [...outputs].sort(
      (a, b) => compare(a.amountSats, b.amountSats) || compare(a.scriptPubKey, b.scriptPubKey),
    ),
  };
}

/** Of lower-case hex this is the order of the bytes, a prefix before what it begins. */
const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
