/**
 * Wakes one waiting loop: pulses that arrive while it works are remembered as one, so that none is lost and none is served twice.
 */
export interface Pulse {
  beat(): void;
  /** Resolves at the next beat (at once where one came since the last wait), after `ms`, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createPulse(): Pulse {
  let pending = false;
  let wake: (() => void) | null = null;
  return {
    beat() {
      pending = true;
      wake?.();
    },
    async wait(ms, signal) {
      if (!pending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            wake = null;
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done);
          wake = done;
        });
      }
      pending = false;
    },
  };
}
