import type { FeeRate } from '../fee-rate.ts';
import { selectBnb } from './bnb.ts';
import { selectCoinGrinder } from './coin-grinder.ts';
import { selectKnapsack } from './knapsack.ts';
import type { OutputGroup } from './output-group.ts';
import type { RandomSource } from './random-source.ts';
import type { SearchResult } from './search-pool.ts';
import {
  type ChangeCosts,
  coinsOf,
  evaluateSelection,
  leastWaste,
  type Selection,
  type SelectionAlgorithm,
} from './selection.ts';
import { selectSrd } from './srd.ts';

/** CoinGrinder runs above this many times the long-term feerate. */
const HIGH_FEE_MULTIPLE = 3n;

export interface SelectionParameters extends ChangeCosts {
  readonly feeRate: FeeRate;
  readonly longTermFeeRate: FeeRate;
  /** Change to aim for (generateChangeTarget). */
  readonly changeTargetSats: bigint;
  /** Recipients pay the fee: groups count with their amounts. */
  readonly subtractFee: boolean;
  /** Weight units left for inputs in a transaction without change. */
  readonly maxInputWeight: number;
  /** Weight units of a change output. */
  readonly changeWeight: number;
  readonly random: RandomSource;
}

/** Groups to choose from: `positive` leaves out coins that cost more than they hold. */
export interface EligibleGroups {
  readonly positive: readonly OutputGroup[];
  readonly mixed: readonly OutputGroup[];
}

export type SelectionOutcome =
  | { readonly selection: Selection }
  | { readonly selection: null; readonly reason: 'insufficient' | 'max-weight' };

/** Runs the algorithms over one set of groups and takes the least wasteful result (Core's ChooseSelectionResult). */
export function chooseSelection(
  groups: EligibleGroups,
  targetSats: bigint,
  parameters: SelectionParameters,
): SelectionOutcome {
  const { positive, mixed } = groups;
  const { random, changeTargetSats, changeFeeSats, costOfChangeSats, maxInputWeight } = parameters;
  const maxWeight = maxInputWeight - parameters.changeWeight;
  const goal = { targetSats, changeTargetSats, maxWeight };
  const results: [SelectionAlgorithm, SearchResult][] = [];
  // Without change the excess would go to recipients that pay the fee themselves: as in Core, no BnB then.
  if (!parameters.subtractFee)
    results.push(['bnb', selectBnb(positive, { targetSats, costOfChangeSats, maxWeight: maxInputWeight })]);
  results.push(['knapsack', selectKnapsack(mixed, goal, random)]);
  if (parameters.feeRate > HIGH_FEE_MULTIPLE * parameters.longTermFeeRate)
    results.push(['coin-grinder', selectCoinGrinder(positive, goal)]);
  results.push(['srd', selectSrd(positive, { targetSats, changeFeeSats, maxWeight }, random)]);

  const selections: Selection[] = [];
  let tooHeavy = false;
  for (const [algorithm, result] of results) {
    if (result.groups)
      selections.push(
        evaluateSelection(algorithm, coinsOf(result.groups), targetSats, parameters, parameters.subtractFee),
      );
    else tooHeavy ||= result.reason === 'max-weight';
  }
  const selection = leastWaste(selections);
  const bounded = results.some(([, result]) => !result.complete);
  return selection
    ? { selection: { ...selection, bounded } }
    : { selection: null, reason: tooHeavy ? 'max-weight' : 'insufficient' };
}
