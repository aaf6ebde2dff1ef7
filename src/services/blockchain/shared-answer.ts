/** One answer for all who ask soon after one another. */

const MIN_FRESH_MS = 1_000;
/** An answer serves this many times as long as it took to get. */
const FRESH_FACTOR = 10;
/** Also where it waited for a database or node that hung. */
const MAX_FRESH_MS = 30_000;

/**
 * Callers within a second (or `leastFreshMs`), or within ten times as long as the answer took, share one; a failure is shared only by those who wait for it.
 * So a large mempool costs a tenth of the time at most, however many look at it.
 */
export function sharedAnswer<T>(
  ask: () => Promise<T>,
  clock: () => number,
  leastFreshMs = MIN_FRESH_MS,
): () => Promise<T> {
  let latest: { value: Promise<T>; freshUntil: number } | null = null;
  return () => {
    const began = clock();
    if (latest !== null && began < latest.freshUntil) return latest.value;
    const asked = { value: ask(), freshUntil: Number.POSITIVE_INFINITY };
    latest = asked;
    asked.value.then(
      () => {
        const took = clock() - began;
        asked.freshUntil = began + took + Math.max(leastFreshMs, Math.min(took * FRESH_FACTOR, MAX_FRESH_MS));
      },
      () => {
        if (latest === asked) latest = null;
      },
    );
    return asked.value;
  };
}
