import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long one computes in a turn of the event loop, unless told, in milliseconds. */
const TURN_MS = 2;

/** To be awaited between the steps of what takes long: others get their turn once `turnMs` have passed since they had it; whether they had it now. */
export function createYielder(turnMs = TURN_MS): () => Promise<boolean> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return false;
    await nextTurn();
    since = performance.now();
    return true;
  };
}

/**
 * For what many do at the same time: to be awaited before each step. Those that wait go on one after another, each when what the one before
 * does without waiting is over, for `turnMs` in a turn of the event loop, however many they are.
 */
export function createSharedYielder(turnMs = TURN_MS): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let since = 0;
  function next(): void {
    waiting.shift()?.();
    if (waiting.length === 0) return;
    // After all microtasks of the one that goes on now.
    queueMicrotask(() =>
      process.nextTick(() => (performance.now() - since < turnMs ? next() : void setImmediate(begin))),
    );
  }
  function begin(): void {
    since = performance.now();
    next();
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(begin);
    });
}
