import type { ExclusiveWork } from './store.ts';

/** Work that takes turns by name within this process. */
export interface Turns {
  /** Names of the work that is under way. */
  readonly underWay: ReadonlySet<ExclusiveWork>;
  /** Runs what has its turn, counted among `underWay`. */
  working<T>(name: ExclusiveWork, work: () => Promise<T>): Promise<T>;
  /** Waits until no other work of this name runs, then runs `work`. Rejects with the signal's reason when it aborts before that. */
  take<T>(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  const underWay = new Set<ExclusiveWork>();

  return {
    underWay,
    async working(name, work) {
      underWay.add(name);
      try {
        return await work();
      } finally {
        underWay.delete(name);
      }
    },
    async take(name, signal, work) {
      const before = last.get(name) ?? Promise.resolve();
      let done = () => {};
      const own = new Promise<void>((resolve) => {
        done = resolve;
      });
      // Whoever comes next waits for those before us too, even if we give up waiting.
      last.set(
        name,
        before.then(() => own),
      );
      try {
        await untilAborted(before, signal);
        return await work(signal);
      } finally {
        done();
      }
    },
  };
}

/** `promise`, or a rejection with the signal's reason, whichever is first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}
