import { CHANGE_LOWER_SATS } from './change-target.ts';
import type { OutputGroup } from './output-group.ts';
import type { RandomSource } from './random-source.ts';
import { exact, nothingFound, type SearchResult, searchPool } from './search-pool.ts';

export interface SrdTarget {
  readonly targetSats: bigint;
  readonly changeFeeSats: bigint;
  /** Weight units that all inputs may have. */
  readonly maxWeight: number;
}

/**
 * Single Random Draw (as in Bitcoin Core): groups at random until the target and a change of 50,000 sat are reached; while the set is
 * too heavy its least valuable groups go. Every group's amount is positive.
 */
export function selectSrd(groups: readonly OutputGroup[], goal: SrdTarget, random: RandomSource): SearchResult {
  const pool = searchPool(groups, 'given');
  const { amounts, weights } = pool;
  const target = exact(goal.targetSats + CHANGE_LOWER_SATS + goal.changeFeeSats);
  const draw = random.shuffle(Array.from(amounts, (_, index) => index));
  const drawn = new LeastFirst(amounts);
  let amount = 0;
  let weight = 0;
  let tooHeavy = false;
  let tries = 0;
  for (const index of draw) {
    tries++;
    drawn.push(index);
    amount += amounts[index]!;
    weight += weights[index]!;
    while (weight > goal.maxWeight && drawn.size > 0) {
      tooHeavy = true;
      const least = drawn.pop();
      amount -= amounts[least]!;
      weight -= weights[least]!;
    }
    if (amount >= target) return { groups: drawn.items().map((i) => pool.groups[i]!), tries, complete: true };
  }
  return nothingFound(tooHeavy);
}

/** A binary heap of indexes, the one of the least amount on top. */
class LeastFirst {
  readonly #amounts: Float64Array;
  readonly #heap: number[] = [];

  constructor(amounts: Float64Array) {
    this.#amounts = amounts;
  }

  get size(): number {
    return this.#heap.length;
  }

  items(): readonly number[] {
    return this.#heap;
  }

  push(index: number): void {
    const heap = this.#heap;
    let at = heap.push(index) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#less(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): number {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return top;
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < this.#heap.length && this.#less(child, least)) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #less(a: number, b: number): boolean {
    return this.#amounts[this.#heap[a]!]! < this.#amounts[this.#heap[b]!]!;
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b]!, this.#heap[a]!];
  }
}
