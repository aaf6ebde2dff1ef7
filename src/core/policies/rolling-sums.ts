/** Sums of windows while a history is read in order: each window slides by hours instead of being added up again. */
import type { PastSpending, Policy, Spent, WindowScope } from './policy.ts';
import { hoursOfWindow } from './windows.ts';

/** One sum that is added, or with `sign` -1 given back. */
export interface HourlySum extends Spent {
  readonly scope: string;
  readonly subject: string;
  /** Hours since the epoch. */
  readonly hour: number;
}

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
  newest: number;
}

const NOTHING: Spent = { amountSats: 0n, count: 0 };

/** `wanted`: the scopes that rules use; no others are kept. `longest`: their longest window, in hours. */
export function createRollingSums(wanted: ReadonlySet<string>, longest: number) {
  const subjects = new Map<string, Subject>();
  const keyOf = (scope: string, subject: string): string => `${scope} ${subject}`;

  function add({ scope, subject, hour, amountSats, count }: HourlySum, sign: 1 | -1): void {
    if (!wanted.has(scope)) return;
    const key = keyOf(scope, subject);
    let kept = subjects.get(key);
    if (kept === undefined) {
      kept = { hours: new Map(), windows: new Map(), newest: hour };
      subjects.set(key, kept);
    }
    const change = { amountSats: sign === 1 ? amountSats : -amountSats, count: sign * count };
    kept.hours.set(hour, plus(kept.hours.get(hour) ?? NOTHING, change, 1));
    kept.newest = Math.max(kept.newest, hour);
    for (const window of kept.windows.values())
      if (hour >= window.first) Object.assign(window, plus(window, change, 1));
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
    /** Drops sums that no window reaches at this time; returns how many subjects are left. */
    forget(at: number): number {
      const { first } = hoursOfWindow(at, longest + 1);
      for (const [key, { hours, newest }] of subjects) {
        if (newest < first) subjects.delete(key);
        else for (const hour of hours.keys()) if (hour < first - longest) hours.delete(hour);
      }
      return subjects.size;
    },
    size: () => subjects.size,
  };
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
