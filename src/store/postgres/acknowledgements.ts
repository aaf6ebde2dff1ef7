interface Wait {
  readonly missing: Set<number>;
  done(complete: boolean): void;
}

/** Waiting until every process that a notice went to has said that it heard it. */
export function createAcknowledgements() {
  const waits = new Map<number, Wait>();
  let last = 0;
  return {
    /** A number that no other wait of this process has; answers come under it. */
    next: () => ++last,
    /** Resolves true once each of `listeners` answered, false after `patienceMs`. */
    all(number: number, listeners: readonly number[], patienceMs: number) {
      const missing = new Set(listeners);
      if (missing.size === 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const timer = setTimeout(() => done(false), patienceMs);
        function done(complete: boolean): void {
          clearTimeout(timer);
          waits.delete(number);
          resolve(complete);
        }
        waits.set(number, { missing, done });
      });
    },
    heard(number: number, listener: number) {
      const wait = waits.get(number);
      if (wait?.missing.delete(listener) && wait.missing.size === 0) wait.done(true);
    },
  };
}
