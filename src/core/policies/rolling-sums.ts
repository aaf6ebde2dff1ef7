/** Sums of windows while a history is read in order: each window slides by hours instead of being added up again. */
import type { CountedSum, PastSpending, Policy, Spent, WindowScope } from './policy.ts';
import { hoursOfWindow } from './windows.ts';

/** The sum of a window from its first hour on, with no end: sums from a clock that is ahead count, too. */
interface Window {
  first: number;
  amountSats: bigint;
  count: number;
}

interface Subject {
  readonly hours: Map<number, Spent>;
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
  function add({ scope, subject, hour, amountSats, count }: CountedSum, sign: 1 | -1): void {
    if (!wanted.has(scope)) return;
    const key = keyOf(scope, subject);
    let kept = subjects.get(key);
    if (kept === undefined) {
      kept = { hours: new Map(), windows: new Map() };
      subjects.set(key, kept);
    }
    const change = { amountSats: sign === 1 ? amountSats : -amountSats, count: sign * count };
    const before = kept.hours.get(hour);
    if (before === undefined) note(key, hour);
    kept.hours.set(hour, plus(before ?? NOTHING, change, 1));
    changeWindows(kept, hour, change, 1);
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
      for (const [hour, sum] of hours) if (hour >= first) Object.assign(window, plus(window, sum, 1));
      windows.set(length, window);
    }
    const take = (hour: number, sign: 1 | -1) => {
      const sum = hours.get(hour);
      if (sum !== undefined) Object.assign(window, plus(window, sum, sign));
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
function changeWindows({ windows }: Subject, hour: number, change: Spent, sign: 1 | -1): void {
  for (const window of windows.values()) if (hour >= window.first) Object.assign(window, plus(window, change, sign));
}

const plus = (one: Spent, other: Spent, sign: 1 | -1): Spent => ({
  amountSats: sign === 1 ? one.amountSats + other.amountSats : one.amountSats - other.amountSats,
  count: one.count + sign * other.count,
});

/** The scopes that the rules' windows add up, and the longest window in hours; 0 without windows. */
export function windowsReach(policies: readonly Policy[]): { scopes: ReadonlySet<WindowScope>; longest: number } {
  const windows = policies.flatMap(({ enabled, when }) => (enabled && when.window ? [when.window] : []));
  return {
    scopes: new Set(windows.map(({ per }) => per)),
    longest: windows.reduce((most, { hours }) => Math.max(most, hours), 0),
  };
}
