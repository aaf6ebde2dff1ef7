const waiting = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/**
 * Calls back when the signal aborts, unless the returned function was called. One listener for however many wait for one signal: adding
 * to a signal's listeners costs as much as it has.
 */
export function onAbort(signal: AbortSignal, tell: (reason: unknown) => void): () => void {
  let tells = waiting.get(signal);
  if (tells === undefined) {
    const all = new Set<(reason: unknown) => void>();
    tells = all;
    waiting.set(signal, all);
    signal.addEventListener(
      'abort',
      () => {
        for (const one of [...all]) one(signal.reason);
      },
      { once: true },
    );
  }
  const all = tells;
  all.add(tell);
  return () => all.delete(tell);
}

/** What is under way when the signal aborts may go on for so long: the signal that `work` gets aborts then. */
export async function withGrace<T>(
  signal: AbortSignal,
  ms: number,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const forget = onAbort(signal, (reason) => {
    timer = setTimeout(() => late.abort(reason), ms);
  });
  try {
    return await work(late.signal);
  } finally {
    forget();
    clearTimeout(timer);
  }
}

/** `promise`, or a rejection with the signal's reason, whichever is first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = onAbort(signal, reject);
  if (signal.aborted) reject(signal.reason);
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    stop();
  }
}
