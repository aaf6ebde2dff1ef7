import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import { createPulse, type Pulse } from './pulse.ts';

const RETRY_MS = 1_000;

export interface BackgroundWork {
  start(): void;
  /** Resolves when the work has ended. */
  stop(): Promise<void>;
}

/**
 * Work that one process at a time does, woken by what others commit: begun again where it fails, and taken over where its process dies.
 * `work` goes on until its signal aborts, waiting at the pulse.
 */
export function createBackgroundWork(deps: {
  store: Pick<Store, 'exclusively'>;
  name: Parameters<Store['exclusively']>[0];
  /** Store.onEvents, say: what wakes it. Answers the unsubscribe. */
  subscribe: (wake: () => void) => () => void;
  work: (pulse: Pulse, signal: AbortSignal) => Promise<void>;
  log: Pick<Logger, 'warn'>;
  /** The log line of a failure. */
  failure: string;
}): BackgroundWork {
  const { store, name, subscribe, work, log, failure } = deps;
  const pulse = createPulse();
  let stopping = new AbortController();
  let running: Promise<void> | null = null;
  let unsubscribe = (): void => {};

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await store.exclusively(name, signal, (turn) => work(pulse, turn));
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, failure);
        // A pulse of its own: what wakes the work must not hurry the next attempt.
        await createPulse().wait(RETRY_MS, signal);
      }
    }
  }

  return {
    start() {
      if (running !== null) return;
      stopping = new AbortController();
      unsubscribe = subscribe(pulse.beat);
      running = run(stopping.signal);
    },
    async stop() {
      unsubscribe();
      stopping.abort();
      await running;
      running = null;
    },
  };
}
