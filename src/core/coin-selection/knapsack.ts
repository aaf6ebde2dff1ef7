import type { ChangefulTarget } from './coin-grinder.ts';
import type { OutputGroup } from './output-group.ts';
import type { RandomSource } from './random-source.ts';
import { exact, nothingFound, type SearchPool, type SearchResult, searchPool } from './search-pool.ts';

const ROUNDS = 1000;
/** Groups looked at in one approximation: over 100 groups the rounds get fewer, so that a large wallet does not hold up the process. */
const MAX_VISITS = 100_000;

/**
 * Bitcoin Core's knapsack: an exact match, else a subset of the smaller groups found by random approximation, else the smallest group
 * that pays target and change alone. Groups may have amounts of zero or less (dust is spent along here).
 */
export function selectKnapsack(
  groups: readonly OutputGroup[],
  goal: ChangefulTarget,
  random: RandomSource,
): SearchResult {
  const { targetSats } = goal;
  const withChangeSats = targetSats + goal.changeTargetSats;
  let tooHeavy = false;
  let larger: OutputGroup | null = null;
  const smaller: OutputGroup[] = [];
  let smallerSats = 0n;
  let smallerWeight = 0;
  for (const group of random.shuffle([...groups])) {
    if (group.weight > goal.maxWeight) {
      tooHeavy = true;
    } else if (group.selectionSats === targetSats) {
      return found([group]);
    } else if (group.selectionSats < withChangeSats) {
      smaller.push(group);
      smallerSats += group.selectionSats;
      smallerWeight += group.weight;
    } else if (!larger || group.selectionSats < larger.selectionSats) {
      larger = group;
    }
  }
  const largerAlone = (): SearchResult => (larger ? found([larger]) : nothingFound(tooHeavy));

  if (smallerSats === targetSats) {
    if (smallerWeight <= goal.maxWeight) return found(smaller);
    tooHeavy = true;
  }
  if (smallerSats < targetSats) return largerAlone();

  const pool = searchPool(smaller, 'less-waste-first');
  const target = exact(targetSats);
  const withChange = exact(withChangeSats);
  const total = exact(smallerSats);
  let best = approximate(pool, total, target, goal.maxWeight, random);
  if (best.amount !== target && total >= withChange)
    best = approximate(pool, total, withChange, goal.maxWeight, random);

  const alone = larger ? exact(larger.selectionSats) : Number.POSITIVE_INFINITY;
  // Too little change, or more tied up than the larger group holds: the larger one alone.
  if (larger && ((best.amount !== target && best.amount < withChange) || alone <= best.amount)) return found([larger]);
  const subset = pool.groups.filter((_, index) => best.included[index] === 1);
  if (subset.reduce((weight, group) => weight + group.weight, 0) <= goal.maxWeight) return found(subset);
  tooHeavy = true;
  return largerAlone();
}

const found = (groups: readonly OutputGroup[]): SearchResult => ({ groups, tries: 0, complete: true });

/** The subset closest above `target` of many random ones; all groups where none is better. */
function approximate(
  { amounts, weights }: SearchPool,
  total: number,
  target: number,
  maxWeight: number,
  random: RandomSource,
) {
  const length = amounts.length;
  let best = new Uint8Array(length).fill(1);
  let bestAmount = total;
  const included = new Uint8Array(length);
  const rounds = Math.max(1, Math.min(ROUNDS, Math.floor(MAX_VISITS / length)));
  for (let round = 0; round < rounds && bestAmount !== target; round++) {
    included.fill(0);
    let amount = 0;
    let weight = 0;
    let reached = false;
    // First half of the groups by coin toss, then the left out ones until the target is reached.
    for (let pass = 0; pass < 2 && !reached; pass++) {
      for (let i = 0; i < length; i++) {
        if (pass === 0 ? !random.bool() : included[i] === 1) continue;
        amount += amounts[i]!;
        weight += weights[i]!;
        included[i] = 1;
        if (amount < target || weight > maxWeight) continue;
        reached = true;
        if (amount < bestAmount) {
          bestAmount = amount;
          best = included.slice();
        }
        // Without this one a later, smaller one may come closer.
        amount -= amounts[i]!;
        weight -= weights[i]!;
        included[i] = 0;
      }
    }
  }
  return { included: best, amount: bestAmount };
}
