/**
 * Whether an upstream is asked: not while it cools down after a failure, and not while its circuit is open after several in a row. When that
 * time is over, one question is let through: the circuit closes with its answer, or opens for twice as long.
 */

export interface CircuitOptions {
  /** So many failures in a row open it. */
  readonly opensAfter: number;
  /** For so long at first. */
  readonly openMs: number;
  readonly longestOpenMs: number;
  /** After a failure before that; twice as long after the next. */
  readonly coolDownMs: number;
  /** What an upstream says of when it may be asked again is kept to, so far. */
  readonly longestCoolDownMs: number;
}

export const CIRCUIT: CircuitOptions = {
  ...{ opensAfter: 5, openMs: 10_000, longestOpenMs: 120_000 },
  ...{ coolDownMs: 250, longestCoolDownMs: 60_000 },
};

export function createCircuit(options: CircuitOptions, clock: () => number) {
  let failures = 0;
  let openings = 0;
  let until = 0;
  let probes = false;

  const isOpen = (): boolean => openings > 0;

  return {
    /** Whether it may be asked. Whoever asks says how it went: `answered`, `failed`, `limited` or `gaveUp`. */
    enter(): boolean {
      if (clock() < until || probes) return false;
      probes = isOpen();
      return true;
    },
    /** Epoch milliseconds; past: it may be asked. */
    restsUntil: () => (probes ? clock() + options.coolDownMs : until),
    answered(): void {
      [failures, openings, until, probes] = [0, 0, 0, false];
    },
    /** `ms`: it says when it may be asked again. */
    failed(ms = 0): void {
      failures += 1;
      const now = clock();
      until = Math.max(until, now + Math.min(options.longestCoolDownMs, ms));
      if (!isOpen() && failures < options.opensAfter) {
        until = Math.max(until, now + options.coolDownMs * 2 ** (failures - 1));
        return;
      }
      // Of several that were under way when it opened, none opens it for longer.
      if (isOpen() && !probes) return;
      probes = false;
      until = Math.max(until, now + Math.min(options.longestOpenMs, options.openMs * 2 ** openings));
      openings += 1;
    },
    /** Nothing was learnt of the upstream: the next one may ask. */
    gaveUp(): void {
      probes = false;
    },
    /** It works, and does not want to be asked for so long. */
    limited(ms: number): void {
      probes = false;
      until = Math.max(until, clock() + Math.min(options.longestCoolDownMs, Math.max(ms, options.coolDownMs)));
    },
    isOpen,
    /** Open, and nobody may ask now. */
    isShut: () => isOpen() && (probes || clock() < until),
  };
}
