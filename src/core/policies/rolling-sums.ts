/** Sums of windows while a history is read in order: each window slides by hours instead of being added up again. */
import type { CountedSum, PastSpending, Policy, Spent, WindowScope } from './policy.ts';
import { hoursOfWindow } from './windows.ts';

/** Changed in place: new objects for each payment would be most of the garbage of a replay. */
type Sum = { -readonly [K in keyof Spent]: Spent[K] };

/** The sum of a window from its first hour on, with no end: sums from a clock that is ahead count, too. */
interface Window extends Sum {
  first: number;
}

interface Subject {
  /** Where the sum of each hour is. */
  readonly hours: Map<number, number>;
  /** By their length in hours. */
  readonly windows: Map<number, Window>;
}

const NOTHING: Spent = { amountSats: 0n, count: 0 };

/**
 * Sums by their place, outside of the heap: a million objects would take a garbage collection longer than a turn of the event loop may
 * last.
 */
function createPlaces() {
  let [amounts, counts] = [new BigInt64Array(1_024), new Int32Array(1_024)];
  const free: number[] = [];
  let used = 0;
  return {
    take(): number {
      const at = free.pop() ?? used++;
      if (at === amounts.length) {
        const [before, countsBefore] = [amounts, counts];
        [amounts, counts] = [new BigInt64Array(2 * at), new Int32Array(2 * at)];
        amounts.set(before);
        counts.set(countsBefore);
      }
      amounts[at] = 0n;
      counts[at] = 0;
      return at;
    },
    free: (at: number) => free.push(at),
    change(at: number, { amountSats, count }: Spent, sign: 1 | -1): void {
      amounts[at]! += sign === 1 ? amountSats : -amountSats;
      counts[at]! += sign * count;
    },
    of: (at: number): Spent => ({ amountSats: amounts[at]!, count: counts[at]! }),
  };
}
/** Sums that one call drops: less than a millisecond. */
const DROPPED_AT_ONCE = 1_000;

/** `wanted`: the scopes that rules use; no others are kept. `longest`: their longest window, in hours. */
export function createRollingSums(wanted: ReadonlySet<string>, longest: number) {
  const subjects = new Map<string, Subject>();
  const places = createPlaces();
  /** Which subjects have a sum in an hour. */
  const byHour = new Map<number, string[]>();
  let size = 0;
  const keyOf = (scope: string, subject: string): string => `${scope} ${subject}`;

  /** With the sign -1 the sum is given back. */
  function add(counted: CountedSum, sign: 1 | -1): void {
    const { scope, subject, hour } = counted;
    if (!wanted.has(scope)) return;
    const key = keyOf(scope, subject);
    let kept = subjects.get(key);
    if (kept === undefined) {
      kept = { hours: new Map(), windows: new Map() };
      subjects.set(key, kept);
    }
    let place = kept.hours.get(hour);
    if (place === undefined) {
      place = places.take();
      kept.hours.set(hour, place);
      note(key, hour);
    }
    places.change(place, counted, sign);
    changeWindows(kept, hour, counted, sign);
  }

  function note(key: string, hour: number): void {
    const keys = byHour.get(hour);
    if (keys === undefined) byHour.set(hour, [key]);
    else keys.push(key);
    size++;
  }

  function drop(key: string, hour: number): void {
    const kept = subjects.get(key)!;
    const place = kept.hours.get(hour)!;
    changeWindows(kept, hour, places.of(place), -1);
    places.free(place);
    kept.hours.delete(hour);
    if (kept.hours.size === 0) subjects.delete(key);
    size--;
  }

  function spent({ hours, windows }: Subject, length: number, at: number): Spent {
    const { first } = hoursOfWindow(at, length);
    let window = windows.get(length);
    if (window === undefined || Math.abs(first - window.first) > length) {
      window = { first, ...NOTHING };
      for (const [hour, place] of hours) if (hour >= first) change(window, places.of(place), 1);
      windows.set(length, window);
    }
    const take = (hour: number, sign: 1 | -1) => {
      const place = hours.get(hour);
      if (place !== undefined) change(window, places.of(place), sign);
    };
    // Clocks of processes differ: the next payment may be of an earlier hour.
    while (window.first < first) take(window.first++, -1);
    while (window.first > first) take(--window.first, 1);
    return window;
  }

  return {
    add,
    /** At a time, epoch milliseconds. */
    past:
      (at: number): PastSpending =>
      (scope, subject, length) => {
        const kept = subjects.get(keyOf(scope, subject));
        return kept === undefined ? NOTHING : spent(kept, length, at);
      },
    /** Drops some of the sums that no window reaches at this time; false if there are more. */
    forget(at: number): boolean {
      const { first } = hoursOfWindow(at, longest + 1);
      let left = DROPPED_AT_ONCE;
      for (const [hour, keys] of byHour) {
        if (hour >= first) continue;
        for (; keys.length > 0; left--) {
          if (left === 0) return false;
          drop(keys.pop()!, hour);
        }
        byHour.delete(hour);
      }
      return true;
    },
    /** Sums of a subject in an hour. */
    size: () => size,
  };
}

/** A window is always the sum of the hours from its first on. */
function changeWindows({ windows }: Subject, hour: number, by: Spent, sign: 1 | -1): void {
  for (const window of windows.values()) if (hour >= window.first) change(window, by, sign);
}

function change(sum: Sum, { amountSats, count }: Spent, sign: 1 | -1): void {
  sum.amountSats += sign === 1 ? amountSats : -amountSats;
  sum.count += sign * count;
}

/** The scopes that the rules' windows add up, and the longest window in hours; 0 without windows. */
export function windowsReach(policies: readonly Policy[]): { scopes: ReadonlySet<WindowScope>; longest: number } {
  const windows = policies.flatMap(({ enabled, when }) => (enabled && when.window ? [when.window] : []));
  return {
    scopes: new Set(windows.map(({ per }) => per)),
    longest: windows.reduce((most, { hours }) => Math.max(most, hours), 0),
  };
}
