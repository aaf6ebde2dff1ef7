/** What one part is about: from..to-1. Its signal ends with the whole. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
}

export interface PartsOptions {
  readonly total: number;
  /** Parts under way together. */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** So long a part should take: short beside what a request may wait, long beside what handing it over costs. */
const AIM_MS = 75;
const FIRST = 64;
const MIN = 16;
const MAX = 2_000;

/**
 * Goes through all of it in parts whose size follows from what the ones before took. After a part that says `stop`, or fails, none begins;
 * those under way end first, except where it failed or the signal ended it. Throws what the first part to fail threw.
 */
export async function inParts(
  work: (part: Part) => Promise<{ readonly tookMs: number; readonly stop: boolean }>,
  { total, atOnce, signal, onProgress }: PartsOptions,
): Promise<void> {
  const failed = new AbortController();
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  let [next, done, size, stopped] = [0, 0, FIRST, false];

  async function oneAfterTheOther(): Promise<void> {
    while (next < total && !stopped) {
      either.throwIfAborted();
      const from = next;
      // The last parts are even, so that no thread ends long after the others.
      const to = Math.min(total, from + Math.min(size, Math.max(MIN, Math.ceil((total - from) / atOnce))));
      next = to;
      const { tookMs, stop } = await work({ from, to, signal: either });
      if (stop) stopped = true;
      size = sizeAfter(to - from, tookMs, size);
      done += to - from;
      if (!either.aborted) onProgress?.(done, total);
    }
  }

  try {
    await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

/** Towards what would have taken AIM_MS, at most twofold at a time. */
const sizeAfter = (count: number, tookMs: number, size: number): number => {
  const wanted = (count * AIM_MS) / Math.max(tookMs, 1);
  return Math.round(Math.min(MAX, Math.max(MIN, Math.min(size * 2, Math.max(size / 2, wanted)))));
};
