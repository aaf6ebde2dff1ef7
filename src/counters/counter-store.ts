/**
 * Counting requests in fixed windows that are aligned to the clock: how often something named happened since the window began.
 * Local counters answer at once, so that a request need not wait; shared ones (Redis) answer a promise.
 */

/**
 * What is counted, apart from each other. `credential`: finite, because only credentials that stand get a counter. `address` and
 * `attempt`: named by whoever asks, so a store bounds how many it holds.
 */
export type CounterSpace = 'credential' | 'address' | 'attempt';

/** Counts in the order of the names. */
export type Counts = readonly number[];

export interface CounterStore {
  /** Counts one, or `by`, for each name in the present window of `windowMs`, and answers the counts, this one included. Never rejects. */
  hit(space: CounterSpace, names: readonly string[], windowMs: number, by?: number): Counts | Promise<Counts>;
  /** How the counts stand, without counting. Never rejects. */
  look(space: CounterSpace, names: readonly string[], windowMs: number): Counts | Promise<Counts>;
  /** What this process last knew of a count, without asking anyone. */
  lastSeen(space: CounterSpace, name: string, windowMs: number): number;
  /** Where counts are kept, and whether that works now. */
  status(): CounterStatus;
}

export interface CounterStatus {
  readonly store: 'local' | 'redis';
  /** True while Redis is away and each process counts for itself. */
  readonly degraded: boolean;
}

/** Epoch milliseconds at which the window that holds `now` ends. */
export const windowEnd = (now: number, windowMs: number): number => (Math.floor(now / windowMs) + 1) * windowMs;
