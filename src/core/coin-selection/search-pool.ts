import type { OutputGroup } from './output-group.ts';

/** Most steps of the exhaustive searches, as in Core. */
export const TOTAL_TRIES = 100_000;

/** What one algorithm found. `reason` 'max-weight': some set reached the target but was too heavy. */
export type SearchResult =
  | { readonly groups: readonly OutputGroup[]; readonly tries: number; readonly complete: boolean }
  | { readonly groups: null; readonly reason: 'insufficient' | 'max-weight' };

export const nothingFound = (tooHeavy: boolean): SearchResult => ({
  groups: null,
  reason: tooHeavy ? 'max-weight' : 'insufficient',
});

/**
 * The groups' amounts as flat arrays for the searches' inner loops. These are doubles holding whole satoshis: the constructor function
 * proves that the sum of all absolute values stays below 2^53, so that every sum and difference a search makes is exact. Amounts
 * enter as bigint and only groups leave; no money is ever computed from these arrays. (With bigint arithmetic here selection over
 * 10,000 coins takes many times as long: docs/decisions/0401.)
 */
export interface SearchPool {
  readonly groups: readonly OutputGroup[];
  readonly amounts: Float64Array;
  /** Fee now minus fee at the long-term feerate. */
  readonly wastes: Float64Array;
  readonly weights: Int32Array;
  /** after[i]: the sum of amounts from i on; after[length] = 0. */
  readonly from: Float64Array;
}

export function searchPool(
  groups: readonly OutputGroup[],
  compare?: (a: OutputGroup, b: OutputGroup) => number,
): SearchPool {
  const sorted = compare ? [...groups].sort(compare) : groups;
  const length = sorted.length;
  const amounts = new Float64Array(length);
  const wastes = new Float64Array(length);
  const weights = new Int32Array(length);
  const from = new Float64Array(length + 1);
  let bound = 0;
  for (let i = length - 1; i >= 0; i--) {
    const group = sorted[i]!;
    amounts[i] = exact(group.selectionSats);
    wastes[i] = exact(group.feeSats - group.longTermFeeSats);
    weights[i] = group.weight;
    from[i] = from[i + 1]! + amounts[i]!;
    bound += Math.abs(amounts[i]!) + Math.abs(wastes[i]!);
  }
  if (!(bound <= Number.MAX_SAFE_INTEGER))
    throw new RangeError('more satoshis than there are in the coins of a selection');
  return { groups: sorted, amounts, wastes, weights, from };
}

/** A satoshi amount as a double that is exactly it. */
export function exact(amountSats: bigint): number {
  const value = Number(amountSats);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${amountSats} satoshis are more than there are`);
  return value;
}

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Largest first; of equal ones the less wasteful, then the lighter: a twin that a search skips is then never the better one. */
export const byAmountThenWaste = (a: OutputGroup, b: OutputGroup): number =>
  order(b.selectionSats, a.selectionSats) ||
  order(a.feeSats - a.longTermFeeSats, b.feeSats - b.longTermFeeSats) ||
  a.weight - b.weight;

/** Largest first; of equal ones the lighter. */
export const byAmountThenWeight = (a: OutputGroup, b: OutputGroup): number =>
  order(b.selectionSats, a.selectionSats) || a.weight - b.weight;
