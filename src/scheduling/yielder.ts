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
