import type { OutputGroup } from './output-group.ts';

/** Most steps of the exhaustive searches, as in Core. */
export const TOTAL_TRIES = 100_000;

/** What one algorithm found. `complete`: it did not end at its bound, beyond which there may be a better set. `reason` 'max-weight': some set reached the target but was too heavy. */
export type SearchResult =
  | { readonly groups: readonly OutputGroup[]; readonly tries: number; readonly complete: boolean }
  | { readonly groups: null; readonly reason: 'insufficient' | 'max-weight'; readonly complete: boolean };

export const nothingFound = (tooHeavy: boolean, complete = true): SearchResult => ({
  ...{ groups: null, complete },
  reason: tooHeavy ? 'max-weight' : 'insufficient',
});

/**
 * The groups' amounts as flat arrays for the searches' inner loops. These are doubles holding whole satoshis: searchPool
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
  /** from[i]: the sum of amounts from i on; from[length] = 0. */
  readonly from: Float64Array;
}

/** Largest amount first; of equal ones the less wasteful and then the lighter, or the lighter: a twin that a search skips is never better. */
export type PoolOrder = 'given' | 'less-waste-first' | 'lighter-first';

export function searchPool(groups: readonly OutputGroup[], order: PoolOrder): SearchPool {
  const given = flat(groups);
  if (order === 'given') return given;
  const { amounts, wastes, weights } = given;
  const sorted = Uint32Array.from(groups, (_, index) => index).sort((a, b) => {
    const byAmount = amounts[b]! - amounts[a]!;
    if (byAmount !== 0) return byAmount;
    const byWaste = order === 'less-waste-first' ? wastes[a]! - wastes[b]! : 0;
    return byWaste !== 0 ? byWaste : weights[a]! - weights[b]!;
  });
  const inOrder = {
    groups: Array.from(sorted, (index) => groups[index]!),
    amounts: Float64Array.from(sorted, (index) => amounts[index]!),
    wastes: Float64Array.from(sorted, (index) => wastes[index]!),
    weights: Int32Array.from(sorted, (index) => weights[index]!),
  };
  return { ...inOrder, from: sumsFrom(inOrder.amounts) };
}

function flat(groups: readonly OutputGroup[]): SearchPool {
  const length = groups.length;
  const amounts = new Float64Array(length);
  const wastes = new Float64Array(length);
  const weights = new Int32Array(length);
  let bound = 0;
  for (let i = 0; i < length; i++) {
    const group = groups[i]!;
    amounts[i] = exact(group.selectionSats);
    wastes[i] = exact(group.feeSats - group.longTermFeeSats);
    weights[i] = group.weight;
    bound += Math.abs(amounts[i]!) + Math.abs(wastes[i]!);
  }
  if (!(bound <= Number.MAX_SAFE_INTEGER))
    throw new RangeError('more satoshis than there are in the coins of a selection');
  return { groups, amounts, wastes, weights, from: sumsFrom(amounts) };
}

function sumsFrom(amounts: Float64Array): Float64Array {
  const from = new Float64Array(amounts.length + 1);
  for (let i = amounts.length - 1; i >= 0; i--) from[i] = from[i + 1]! + amounts[i]!;
  return from;
}

/** A satoshi amount as a double that is exactly it. */
export function exact(amountSats: bigint): number {
  const value = Number(amountSats);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${amountSats} satoshis are more than there are`);
  return value;
}
