import { generateChangeTarget } from '../coin-selection/change-target.ts';
import type { SelectionParameters } from '../coin-selection/choose-selection.ts';
import type { RandomSource } from '../coin-selection/random-source.ts';
import { type FeeRate, feeFor } from '../fee-rate.ts';
import { DUST_RELAY_FEE_RATE, dustThresholdOf, OUTPUT_SCRIPT_LENGTH, outputSize } from '../relay-policy/dust.ts';
import { WITNESS_SCALE } from '../relay-policy/limits.ts';
import { inputWeight } from '../transactions/sizing.ts';
import type { ChangeTarget, PlanSettings } from './payment-plan.ts';

/** Core's -consolidatefeerate: what an input is assumed to cost some day. */
export const LONG_TERM_FEE_RATE = 10_000n as FeeRate;
/** Core's -discardfee: change that costs more than it holds at this feerate is left to the fee. */
export const DISCARD_FEE_RATE = 10_000n as FeeRate;

/** What change costs and how little of it is worth making, as Core's CreateTransactionInternal sets it up. */
export function changeCosts(
  settings: PlanSettings,
  change: ChangeTarget,
): {
  feeRate: FeeRate;
  changeFeeSats: bigint;
  costOfChangeSats: bigint;
  minViableChangeSats: bigint;
  changeVsize: number;
} {
  const dustRate = settings.dustRelayFeeRate ?? DUST_RELAY_FEE_RATE;
  const wanted = settings.discardFeeRate ?? DISCARD_FEE_RATE;
  const discardRate = wanted > dustRate ? wanted : dustRate;
  const changeVsize = outputSize(OUTPUT_SCRIPT_LENGTH[change.scriptType]);
  const spendVsize = Math.ceil(inputWeight(change.scriptType, change.inputWeight) / WITNESS_SCALE);
  const changeFeeSats = feeFor(settings.feeRate, changeVsize);
  const spendFeeSats = feeFor(discardRate, spendVsize);
  const dustSats = dustThresholdOf(change.scriptType, discardRate);
  return {
    feeRate: settings.feeRate,
    changeFeeSats,
    costOfChangeSats: spendFeeSats + changeFeeSats,
    minViableChangeSats: spendFeeSats + 1n > dustSats ? spendFeeSats + 1n : dustSats,
    changeVsize,
  };
}

export interface SelectionContext {
  readonly averagePaymentSats: bigint;
  readonly subtractFee: boolean;
  /** Weight units that the whole transaction may have. */
  readonly maxWeight: number;
  /** Virtual bytes of all but inputs and change. */
  readonly fixedVsize: number;
}

export function selectionParameters(
  settings: PlanSettings,
  change: ChangeTarget,
  context: SelectionContext,
  random: RandomSource,
): SelectionParameters {
  const { changeVsize, ...costs } = changeCosts(settings, change);
  return {
    ...costs,
    longTermFeeRate: settings.longTermFeeRate ?? LONG_TERM_FEE_RATE,
    changeTargetSats: generateChangeTarget(context.averagePaymentSats, costs.changeFeeSats, random),
    subtractFee: context.subtractFee,
    maxInputWeight: context.maxWeight - WITNESS_SCALE * context.fixedVsize,
    changeWeight: WITNESS_SCALE * changeVsize,
    random,
  };
}
