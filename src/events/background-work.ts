import { createWorkOutage, type OutageLog } from '../outages/outage.ts';
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
  log: OutageLog;
  clock: () => number;
  /** The log lines of a failure that goes on, and of its end. */
  failure: string;
  success: string;
}): BackgroundWork {
  const { store, name, subscribe, work, log, clock } = deps;
  const failing = createWorkOutage({ part: name, log, clock, began: deps.failure, ended: deps.success });
  const pulse = createPulse();
  /** Who waits has got through a round. */
  const roundsEnd: Pulse = {
    beat: pulse.beat,
    wait(ms, signal) {
      failing.ended();
      return pulse.wait(ms, signal);
    },
  };
  let stopping = new AbortController();
  let running: Promise<void> | null = null;
  let unsubscribe = (): void => {};

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await store.exclusively(name, signal, (turn) => work(roundsEnd, turn));
      } catch (error) {
        if (signal.aborted) return;
        failing.began(error);
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
