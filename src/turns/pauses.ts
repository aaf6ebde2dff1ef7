import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long one computes in a turn of the event loop, in milliseconds. */
const TURN_MS = 2;

/** To be awaited between the steps of what takes long: others get their turn once TURN_MS have passed since they had it. */
export function createPauses(): () => Promise<boolean> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return false;
    await nextTurn();
    since = performance.now();
    return true;
  };
}
