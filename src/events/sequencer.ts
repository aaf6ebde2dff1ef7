import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import { createPulse } from './pulse.ts';

const BATCH = 1_000;
const POLL_MS = 500;
const RETRY_MS = 1_000;
const KEEP_MS = 30 * 24 * 3_600_000;
const RETENTION_EVERY_MS = 3_600_000;

export interface Sequencer {
  start(): void;
  stop(): Promise<void>;
}

/**
 * Gives committed events their place in the one sequence, in the order of their ids; one process at a time does so. Numbering after
 * the commit means that none appears behind a higher number. Also deletes events older than 30 days.
 */
export function createSequencer(deps: {
  store: Pick<Store, 'exclusively' | 'onEvents' | 'write'>;
  clock: () => number;
  log: Pick<Logger, 'warn'>;
  /** Called after events were numbered in this process. */
  onNumbered?: () => void;
  pollMs?: number;
}): Sequencer {
  const { store, clock, log, pollMs = POLL_MS } = deps;
  const pulse = createPulse();
  let running: Promise<void> | null = null;
  let stopping = new AbortController();

  async function numberAll(signal: AbortSignal): Promise<void> {
    for (let numbered = BATCH; numbered === BATCH && !signal.aborted; ) {
      numbered = await store.write((tx) => tx.events.number(BATCH));
      if (numbered > 0) deps.onNumbered?.();
    }
  }

  async function sequence(signal: AbortSignal): Promise<void> {
    let retentionAt = clock() + pollMs;
    while (!signal.aborted) {
      await numberAll(signal);
      if (clock() >= retentionAt) {
        retentionAt = clock() + RETENTION_EVERY_MS;
        await store.write((tx) => tx.events.deleteOlderThan(clock() - KEEP_MS));
      }
      await pulse.wait(pollMs, signal);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await store.exclusively('sequencer', signal, sequence);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'events could not be numbered; trying again');
        await createPulse().wait(RETRY_MS, signal);
      }
    }
  }

  let unsubscribe = (): void => {};
  return {
    start() {
      if (running !== null) return;
      stopping = new AbortController();
      unsubscribe = store.onEvents(pulse.beat);
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
