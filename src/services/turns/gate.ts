/** Lets so many in at a time; the others wait in the order they came. A signal ends the waiting with its reason. */
export function createGate(most: number) {
  let within = 0;
  const waiting: (() => void)[] = [];

  function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (within < most) {
      within++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(come), 1);
        reject(signal?.reason as Error);
      };
      const come = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(come);
    });
  }

  return async <Made>(signal: AbortSignal | undefined, work: () => Promise<Made>): Promise<Made> => {
    await enter(signal);
    try {
      return await work();
    } finally {
      // The place is handed on, not given back, so that nobody comes between.
      const next = waiting.shift();
      if (next) next();
      else within--;
    }
  };
}
