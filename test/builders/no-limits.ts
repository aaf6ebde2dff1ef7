/** Counters that never fill, for tests and benches that send more than anyone may: the headers are there, and nobody is refused. */
import type { CounterStore } from '../../src/counters/counter-store.ts';
import { createLocalCounters } from '../../src/counters/local.ts';

/** Attempts to log in are limited as ever: no test needs many. */
export function createNoLimits(clock: () => number): CounterStore {
  const local = createLocalCounters({ clock });
  return {
    hit(space, names, windowMs) {
      // Counted, so that benches see what it costs.
      const counts = local.hit(space, names, windowMs);
      return space === 'attempt' ? counts : counts.map(() => 1);
    },
    look: (space, names, windowMs) => (space === 'attempt' ? local.look(space, names, windowMs) : names.map(() => 0)),
    lastSeen: () => 0,
    status: local.status,
  };
}
