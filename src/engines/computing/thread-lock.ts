import type { ThreadLock } from '../../core/keys/native-secp256k1.ts';

/**
 * Between a worker thread and whoever ends it. Native code that asks Node-API for anything while its thread is being ended gets an error
 * that node-addon-api cannot throw, and the whole process aborts. So a thread is ended only outside of such calls, and makes none any more.
 */
const IN_CALL = 1;
const ENDING = 2;

/** Shared memory for a thread that is about to start: held until it has loaded (first `leave`), as loading calls the addon too. */
export const newThreadLock = (): Int32Array => new Int32Array(new SharedArrayBuffer(4)).fill(IN_CALL);

/** The thread's own side. */
export function threadLock(state: Int32Array): ThreadLock {
  const leave = (): void => {
    if (Atomics.and(state, 0, ~IN_CALL) & ENDING) Atomics.notify(state, 0);
  };
  return {
    enter() {
      if ((Atomics.or(state, 0, IN_CALL) & ENDING) === 0) return;
      leave();
      throw new Error('this thread is being ended');
    },
    leave,
  };
}

/** Resolves when the thread is in no call; from then on it makes none. */
export async function outsideOfCalls(state: Int32Array): Promise<void> {
  Atomics.or(state, 0, ENDING);
  await Atomics.waitAsync(state, 0, IN_CALL | ENDING).value;
}
