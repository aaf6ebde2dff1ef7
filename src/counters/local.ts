/** Counters of this process alone. A window's counters go with it, so nothing is swept and nothing live is ever pushed out. */
import type { CounterSpace, CounterStore, Counts } from './counter-store.ts';

/** Names that anyone can make up: beyond these, new ones of the same window share one counter. About 15 MiB when full. */
const MAX_NAMES: Record<CounterSpace, number> = {
  credential: Number.POSITIVE_INFINITY,
  address: 100_000,
  attempt: 100_000,
};
/** No name is empty. */
const OVERFLOW = '';

interface Window {
  index: number;
  readonly counters: Map<string, number>;
}

export interface LocalCounters extends CounterStore {
  hit(space: CounterSpace, names: readonly string[], windowMs: number, by?: number): Counts;
  look(space: CounterSpace, names: readonly string[], windowMs: number): Counts;
  /** Raises a count to what another store told. */
  learn(space: CounterSpace, names: readonly string[], windowMs: number, counts: Counts): void;
  /** How many counters are held. */
  size(): number;
}

export function createLocalCounters(deps: {
  clock: () => number;
  mostNames?: Partial<Record<CounterSpace, number>>;
}): LocalCounters {
  const { clock } = deps;
  const mostNames = { ...MAX_NAMES, ...deps.mostNames };
  const spaces: Record<CounterSpace, Map<number, Window>> = {
    credential: new Map(),
    address: new Map(),
    attempt: new Map(),
  };

  function present(space: CounterSpace, windowMs: number): Map<string, number> {
    const windows = spaces[space];
    const index = Math.floor(clock() / windowMs);
    const window = windows.get(windowMs);
    if (window !== undefined && window.index === index) return window.counters;
    const counters = new Map<string, number>();
    windows.set(windowMs, { index, counters });
    return counters;
  }

  const placeOf = (counters: Map<string, number>, name: string, most: number): string =>
    counters.has(name) || counters.size < most ? name : OVERFLOW;

  function count(counters: Map<string, number>, name: string, most: number, by: number): number {
    const known = counters.get(name);
    if (known !== undefined) {
      counters.set(name, known + by);
      return known + by;
    }
    const place = placeOf(counters, name, most);
    const next = (counters.get(place) ?? 0) + by;
    counters.set(place, next);
    return next;
  }

  const read = (counters: Map<string, number>, name: string, most: number): number =>
    counters.get(placeOf(counters, name, most)) ?? 0;

  return {
    hit(space, names, windowMs, by = 1) {
      const counters = present(space, windowMs);
      const most = mostNames[space];
      return names.map((name) => count(counters, name, most, by));
    },
    look(space, names, windowMs) {
      const counters = present(space, windowMs);
      return names.map((name) => read(counters, name, mostNames[space]));
    },
    lastSeen: (space, name, windowMs) => read(present(space, windowMs), name, mostNames[space]),
    learn(space, names, windowMs, counts) {
      const counters = present(space, windowMs);
      for (const [i, name] of names.entries()) {
        const told = counts[i] ?? 0;
        if (placeOf(counters, name, mostNames[space]) === name && told > (counters.get(name) ?? 0)) {
          counters.set(name, told);
        }
      }
    },
    status: () => ({ store: 'local', degraded: false }),
    size: () =>
      Object.values(spaces).reduce(
        (sum, windows) => [...windows.values()].reduce((inner, { counters }) => inner + counters.size, sum),
        0,
      ),
  };
}
