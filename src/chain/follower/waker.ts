/** Waits that can be cut short: one waiter that `wake` wakes, any number that only the signal does. */
export interface Waker {
  wake(): void;
  /** Until the next `wake` (one since the last wait counts), `ms`, or the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** `ms`, or until the signal. */
  pauseFor(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWaker(): Waker {
  let woken = false;
  let wakeWaiter: (() => void) | null = null;

  function sleep(ms: number, signal: AbortSignal, onStart: (done: () => void) => void): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      onStart(done);
    });
  }

  return {
    wake() {
      woken = true;
      wakeWaiter?.();
    },
    async wait(ms, signal) {
      if (!woken) {
        await sleep(ms, signal, (done) => {
          wakeWaiter = done;
        });
        wakeWaiter = null;
      }
      woken = false;
    },
    pauseFor: (ms, signal) => sleep(ms, signal, () => {}),
  };
}
