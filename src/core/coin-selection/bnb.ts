import type { OutputGroup } from './output-group.ts';
import { exact, nothingFound, type SearchResult, searchPool, TOTAL_TRIES } from './search-pool.ts';

export interface BnbTarget {
  readonly targetSats: bigint;
  /** Cost of making and later spending change: how far a set may exceed the target and still do without. */
  readonly costOfChangeSats: bigint;
  /** Weight units that all inputs may have. */
  readonly maxWeight: number;
}

/**
 * Branch and Bound (Murch 2016, as in Bitcoin Core): the least wasteful set whose value lies in [target, target + cost of change], so
 * that no change is needed. Depth first over the groups by falling value, inclusion before omission. Every group's amount is positive.
 */
export function selectBnb(groups: readonly OutputGroup[], goal: BnbTarget): SearchResult {
  const pool = searchPool(groups, 'less-waste-first');
  const { amounts, wastes, weights, from } = pool;
  const length = amounts.length;
  const target = exact(goal.targetSats);
  const ceiling = exact(goal.targetSats + goal.costOfChangeSats);
  if (length === 0 || from[0]! < target) return nothingFound(false);

  // Where inputs cost more now than later, waste only grows with every input: a branch above the best can be left.
  const wasteGrows = wastes[0]! > 0;
  const chosen = new Int32Array(length);
  let depth = 0;
  let amount = 0;
  let waste = 0;
  let weight = 0;
  let best: Int32Array | null = null;
  let bestWaste = Number.POSITIVE_INFINITY;
  let tooHeavy = false;
  let complete = false;
  // What overshoots by itself is in no set.
  let first = 0;
  while (first < length && amounts[first]! > ceiling) first++;
  let next = first;
  let tries = 0;

  for (; tries < TOTAL_TRIES; tries++) {
    let deadEnd = true;
    if (amount + from[next]! < target || amount > ceiling || (wasteGrows && waste > bestWaste)) {
      // Out of reach, overshot, or worse than the best already.
    } else if (weight > goal.maxWeight) {
      tooHeavy = true;
    } else if (amount >= target) {
      const total = waste + (amount - target);
      if (total <= bestWaste) {
        best = chosen.slice(0, depth);
        bestWaste = total;
      }
    } else {
      deadEnd = false;
    }

    if (!deadEnd) {
      chosen[depth++] = next;
      amount += amounts[next]!;
      waste += wastes[next]!;
      weight += weights[next]!;
      next++;
      continue;
    }
    if (depth === 0) {
      complete = true;
      break;
    }
    const omitted = chosen[--depth]!;
    amount -= amounts[omitted]!;
    waste -= wastes[omitted]!;
    weight -= weights[omitted]!;
    next = omitted + 1;
    // A twin of an omitted group leads to sets already seen.
    while (next < length && amounts[next] === amounts[omitted] && wastes[next] === wastes[omitted]) next++;
  }
  if (!best) return nothingFound(tooHeavy, complete);
  return { groups: Array.from(best, (index) => pool.groups[index]!), tries, complete };
}
