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
  readonly hours: Map<number, Sum>;
  /** By their length in hours. */
  readonly windows: Map<number, Window>;
}

const NOTHING: Spent = { amountSats: 0n, count: 0 };
/** Sums that one call drops: less than a millisecond. */
const DROPPED_AT_ONCE = 1_000;

/** `wanted`: the scopes that rules use; no others are kept. `longest`: their longest window, in hours. */
export function createRollingSums(wanted: ReadonlySet<string>, longest: number) {
  const subjects = new Map<string, Subject>();
  /** Which subjects have a sum in an hour. */
  const byHour = new Map<number, Set<string>>();
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
    let sum = kept.hours.get(hour);
    if (sum === undefined) {
      sum = { ...NOTHING };
      kept.hours.set(hour, sum);
      note(key, hour);
    }
    change(sum, counted, sign);
    changeWindows(kept, hour, counted, sign);
  }

  function note(key: string, hour: number): void {
    const keys = byHour.get(hour);
    if (keys === undefined) byHour.set(hour, new Set([key]));
    else keys.add(key);
    size++;
  }

  function drop(key: string, hour: number): void {
    const kept = subjects.get(key)!;
    changeWindows(kept, hour, kept.hours.get(hour)!, -1);
    kept.hours.delete(hour);
    if (kept.hours.size === 0) subjects.delete(key);
    size--;
  }

  function spent({ hours, windows }: Subject, length: number, at: number): Spent {
    const { first } = hoursOfWindow(at, length);
    let window = windows.get(length);
    if (window === undefined || Math.abs(first - window.first) > length) {
      window = { first, ...NOTHING };
      for (const [hour, sum] of hours) if (hour >= first) change(window, sum, 1);
      windows.set(length, window);
    }
    const take = (hour: number, sign: 1 | -1) => {
      const sum = hours.get(hour);
      if (sum !== undefined) change(window, sum, sign);
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
        for (const key of keys) {
          if (left-- === 0) return false;
          drop(key, hour);
          keys.delete(key);
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
