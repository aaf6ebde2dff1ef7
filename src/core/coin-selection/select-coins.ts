import {
  chooseSelection,
  type EligibleGroups,
  type SelectionOutcome,
  type SelectionParameters,
} from './choose-selection.ts';
import { type EligibilityFilter, isEligible } from './eligibility.ts';
import { groupByScript, type OutputGroup, type PricedCoin, type ScriptGroups } from './output-group.ts';
import { evaluateSelection, leastWaste, type Selection } from './selection.ts';

export interface CoinSelectionRequest {
  /** Coins to choose from. */
  readonly coins: readonly PricedCoin[];
  /** Coins that are spent in any case; they don't count as coins to choose from. */
  readonly preset: readonly PricedCoin[];
  /** Recipients, plus the fee of all but inputs and change unless recipients pay it. */
  readonly targetSats: bigint;
  /** Tried in order. */
  readonly ladder: readonly EligibilityFilter[];
  readonly parameters: SelectionParameters;
  /** Coins of one script together; false: each by itself. */
  readonly together: boolean;
}

/**
 * Chooses coins as Bitcoin Core does (SelectCoins, AutomaticCoinSelection): preset ones first, then the first rung of the ladder that
 * pays, least waste within it. Coins of one script are spent together; only where that is too heavy for one transaction are they
 * tried one by one.
 */
export function selectCoins(request: CoinSelectionRequest): SelectionOutcome {
  const { preset, targetSats, parameters } = request;
  const { subtractFee } = parameters;
  const presetWeight = preset.reduce((weight, priced) => weight + priced.weight, 0);
  if (presetWeight > parameters.maxInputWeight) return { selection: null, reason: 'max-weight' };
  const manual = evaluateSelection('manual', preset, targetSats, parameters, subtractFee);
  const missingSats = targetSats - (subtractFee ? manual.amountSats : manual.effectiveSats);
  if (preset.length > 0 && missingSats <= 0n) return { selection: manual };

  const chosen = automatic(
    request.coins,
    missingSats,
    request.ladder,
    { ...parameters, maxInputWeight: parameters.maxInputWeight - presetWeight },
    request.together,
  );
  if (!chosen.selection || preset.length === 0) return chosen;
  const { algorithm, coins, bounded } = chosen.selection;
  const all = evaluateSelection(algorithm, [...preset, ...coins], targetSats, parameters, subtractFee);
  return { selection: { ...all, ...(bounded !== undefined && { bounded }) } };
}

function automatic(
  coins: readonly PricedCoin[],
  targetSats: bigint,
  ladder: readonly EligibilityFilter[],
  parameters: SelectionParameters,
  byScript: boolean,
): SelectionOutcome {
  const worth = (priced: PricedCoin): bigint =>
    parameters.subtractFee ? priced.coin.amountSats : priced.effectiveSats;
  const positive = coins.filter((priced) => priced.effectiveSats > 0n);
  const available = (parameters.subtractFee ? coins : positive).reduce((sum, priced) => sum + worth(priced), 0n);
  if (available < targetSats) return { selection: null, reason: 'insufficient' };

  const together = climb(coins, positive, byScript, targetSats, ladder, parameters);
  if (together.selection || together.reason !== 'max-weight' || !byScript) return together;
  return climb(coins, positive, false, targetSats, ladder, parameters);
}

function climb(
  coins: readonly PricedCoin[],
  positive: readonly PricedCoin[],
  together: boolean,
  targetSats: bigint,
  ladder: readonly EligibilityFilter[],
  parameters: SelectionParameters,
): SelectionOutcome {
  const { subtractFee } = parameters;
  const mixedGroups = groupByScript(coins, { subtractFee, together });
  const positiveGroups =
    positive.length === coins.length ? mixedGroups : groupByScript(positive, { subtractFee, together });
  let tooHeavy = false;
  for (const filter of ladder) {
    const groups = { mixed: eligible(mixedGroups, filter), positive: eligible(positiveGroups, filter) };
    const outcome = attempt(groups, targetSats, filter.mixedTypes, parameters);
    if (outcome.selection) return outcome;
    tooHeavy ||= outcome.reason === 'max-weight';
  }
  return { selection: null, reason: tooHeavy ? 'max-weight' : 'insufficient' };
}

function eligible(scripts: readonly ScriptGroups[], filter: EligibilityFilter): OutputGroup[] {
  const groups: OutputGroup[] = [];
  for (const { full, partial } of scripts) {
    for (const group of full) if (isEligible(group, filter)) groups.push(group);
    if (partial && filter.partialGroups && isEligible(partial, filter)) groups.push(partial);
  }
  return groups;
}

/** One script type alone where it pays, for privacy; mixed only where none does (Core's AttemptSelection). */
function attempt(
  groups: EligibleGroups,
  targetSats: bigint,
  mixedTypes: boolean,
  parameters: SelectionParameters,
): SelectionOutcome {
  const types = new Set(groups.mixed.map((group) => group.coins[0]!.coin.scriptType));
  if (types.size === 0) return { selection: null, reason: 'insufficient' };
  if (types.size === 1) return chooseSelection(groups, targetSats, parameters);
  const selections: Selection[] = [];
  let tooHeavy = false;
  for (const type of types) {
    const ofType = (group: OutputGroup): boolean => group.coins[0]!.coin.scriptType === type;
    const outcome = chooseSelection(
      { positive: groups.positive.filter(ofType), mixed: groups.mixed.filter(ofType) },
      targetSats,
      parameters,
    );
    if (outcome.selection) selections.push(outcome.selection);
    else tooHeavy ||= outcome.reason === 'max-weight';
  }
  const selection = leastWaste(selections);
  if (selection) return { selection };
  if (mixedTypes) return chooseSelection(groups, targetSats, parameters);
  return { selection: null, reason: tooHeavy ? 'max-weight' : 'insufficient' };
}
