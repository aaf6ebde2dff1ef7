import type { OutputGroup } from './output-group.ts';
import { exact, nothingFound, type SearchResult, searchPool, TOTAL_TRIES } from './search-pool.ts';

export interface ChangefulTarget {
  readonly targetSats: bigint;
  /** What is to be left for change, its output's fee included. */
  readonly changeTargetSats: bigint;
  /** Weight units that all inputs may have. */
  readonly maxWeight: number;
}

/**
 * CoinGrinder (as in Bitcoin Core): the lightest set that pays the target with change, for times of high fees. Depth first by falling
 * value; after each inclusion it goes deeper, or shifts to the last group's omission, or cuts the last group's whole subtree.
 * `complete` is false where the search ended by the number of tries. Every group's amount is positive.
 */
export function selectCoinGrinder(groups: readonly OutputGroup[], goal: ChangefulTarget): SearchResult {
  const pool = searchPool(groups, 'lighter-first');
  const { amounts, weights, from } = pool;
  const length = amounts.length;
  const target = exact(goal.targetSats + goal.changeTargetSats);
  if (length === 0 || from[0]! < target) return nothingFound(false);

  const lightestAfter = lightestFrom(weights);
  const chosen = new Int32Array(length);
  let depth = 0;
  let amount = 0;
  let weight = 0;
  let best: Int32Array | null = null;
  let bestAmount = Number.POSITIVE_INFINITY;
  let bestWeight = goal.maxWeight;
  let tooHeavy = false;
  let next = 0;
  let tries = 0;
  let complete = false;

  const omitLast = (): number => {
    const last = chosen[--depth]!;
    amount -= amounts[last]!;
    weight -= weights[last]!;
    return last;
  };

  search: for (;;) {
    const tail = next;
    chosen[depth++] = tail;
    amount += amounts[tail]!;
    weight += weights[tail]!;
    next++;
    tries++;

    let step: 'deeper' | 'shift' | 'cut' = 'deeper';
    // The rest of the pool holds nothing lighter than the last group: its omission cannot do better either.
    const leaveTail = weights[tail]! <= lightestAfter[tail]! ? 'cut' : 'shift';
    if (amount + from[next]! < target) {
      step = 'cut';
    } else if (weight > bestWeight) {
      tooHeavy ||= weight > goal.maxWeight;
      step = leaveTail;
    } else if (amount >= target) {
      step = 'shift';
      if (weight < bestWeight || amount < bestAmount) {
        best = chosen.slice(0, depth);
        bestWeight = weight;
        bestAmount = amount;
      }
    } else if (best && weight + lightestAfter[tail]! * ceilDivide(target - amount, amounts[tail]!) > bestWeight) {
      // What follows is no larger than the last group, so at least that many more inputs are needed.
      step = leaveTail;
    }
    if (tries >= TOTAL_TRIES) break;
    if (next === length) step = 'cut';
    if (step === 'deeper') continue;
    if (step === 'cut') omitLast();
    for (;;) {
      if (depth === 0) {
        complete = true;
        break search;
      }
      const omitted = omitLast();
      next = omitted + 1;
      // A group of the same value is at best as light as the omitted one.
      while (next < length && amounts[next] === amounts[next - 1]) next++;
      if (next < length) break;
    }
  }
  if (!best) return nothingFound(tooHeavy, complete);
  return { groups: Array.from(best, (index) => pool.groups[index]!), tries, complete };
}

/** lightest[i]: the least weight after index i. */
function lightestFrom(weights: Int32Array): Float64Array {
  const lightest = new Float64Array(weights.length);
  let least = Number.MAX_SAFE_INTEGER;
  for (let i = weights.length - 1; i >= 0; i--) {
    lightest[i] = least;
    least = Math.min(least, weights[i]!);
  }
  return lightest;
}

/** Exact for whole numbers below 2^53: the remainder is. */
function ceilDivide(dividend: number, divisor: number): number {
  const remainder = dividend % divisor;
  return (dividend - remainder) / divisor + (remainder > 0 ? 1 : 0);
}
