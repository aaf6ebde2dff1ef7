import { setTimeout as sleep } from 'node:timers/promises';

/** What was found out longer ago is not known any more. */
const KNOWN_FOR_MS = 60_000;

/**
 * What was last found out, for who must not wait for it: asks each time, one at a time, waits for `waitMs` at most, and tells the last answer
 * where there is none by then; `unknown` where there was none in a minute, so that who asks four times a minute hears of a source that takes a second. `ask` never rejects, and ends by itself.
 */
export function cachedProbe<T>(ask: () => Promise<T>, clock: () => number, unknown: T): (waitMs: number) => Promise<T> {
  let known = { value: unknown, at: Number.NEGATIVE_INFINITY };
  let asking: Promise<void> | null = null;
  return async (waitMs) => {
    asking ??= ask()
      .then((value) => {
        known = { value, at: clock() };
      })
      .finally(() => {
        asking = null;
      });
    const late = new AbortController();
    await Promise.race([asking, sleep(waitMs, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
    return clock() - known.at <= KNOWN_FOR_MS ? known.value : unknown;
  };
}
