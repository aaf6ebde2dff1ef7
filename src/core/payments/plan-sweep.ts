import type { CandidateCoin } from '../coin-selection/candidate.ts';
import type { RandomSource } from '../coin-selection/random-source.ts';
import { DUST_RELAY_FEE_RATE, dustThresholdOf } from '../relay-policy/dust.ts';
import { transactionVsize } from '../transactions/sizing.ts';
import { assemblePlan, outputLengths, sum } from './assemble-plan.ts';
import type { ChangeTarget, PaymentPlan, PlanSettings } from './payment-plan.ts';

export interface Sweep {
  readonly version: 2 | 3;
  readonly coins: readonly CandidateCoin[];
  /** Where everything goes. */
  readonly change: ChangeTarget;
  /** The fee by virtual size. */
  readonly fee: (vsize: number) => bigint;
}

/** All of some coins to one output of ours; or, where too little would be left of them, how many satoshis that lacks. */
export function planSweep(
  sweep: Sweep,
  settings: Omit<PlanSettings, 'feeRate'>,
  random: RandomSource,
): PaymentPlan | { readonly missingSats: bigint; readonly feeSats: bigint } {
  const { coins, change } = sweep;
  const feeSats = sweep.fee(transactionVsize(coins, outputLengths([], change)));
  const leftSats = sum(coins) - feeSats;
  const leastSats = dustThresholdOf(change.scriptType, settings.dustRelayFeeRate ?? DUST_RELAY_FEE_RATE);
  if (leftSats < leastSats) return { missingSats: leastSats - leftSats, feeSats };
  return assemblePlan(
    {
      version: sweep.version,
      coins,
      outputs: [],
      changeSats: leftSats,
      change,
      wasteSats: feeSats,
      algorithm: 'manual',
    },
    settings,
    random,
  );
}
