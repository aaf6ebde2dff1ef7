import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * To be awaited before each step of much work that goes on at the same time: so many steps begin in one turn of the event loop, the others in
 * the next ones. What hundreds of sockets answer at once is not worked off at once.
 */
export function createTurns(most: number): () => Promise<void> {
  let begun = 0;
  return async () => {
    while (begun >= most) await nextTurn();
    begun++;
    if (begun === 1) setImmediate(() => (begun = 0));
  };
}
