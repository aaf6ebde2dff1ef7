import { setImmediate as nextTurn } from 'node:timers/promises';

/** Goes through `steps`, and others get their turn after every so many (`turn` waits for the next). Throws what they throw. */
export async function inSlices<Made>(
  steps: Generator<undefined, Made>,
  atOnce: number,
  turn: () => Promise<void> = nextTurn,
): Promise<Made> {
  for (let taken = 1; ; taken++) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (taken % atOnce === 0) await turn();
  }
}
