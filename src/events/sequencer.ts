import type { OutageLog } from '../outages/outage.ts';
import { createWorker, type Worker } from '../scheduling/worker.ts';
import type { Store } from '../store/store.ts';

const BATCH = 1_000;
const POLL_MS = 500;
const MAX_RETRY_MS = 1_000;
const KEEP_MS = 30 * 24 * 3_600_000;
const RETENTION_EVERY_MS = 3_600_000;

/**
 * Gives committed events their place in the one sequence, in the order of their ids; one process at a time does so. Numbering after
 * the commit means that none appears behind a higher number. SQLite, where commits come one after another, numbers events in their own
 * (what an earlier program left is numbered here). Also deletes events older than 30 days.
 */
export function createSequencer(deps: {
  store: Pick<Store, 'kind' | 'exclusively' | 'onEvents' | 'write'>;
  clock: () => number;
  log: OutageLog;
  /** Called after events were numbered in this process. */
  onNumbered?: () => void;
  pollMs?: number;
}): Worker {
  const { store, clock, log, pollMs = POLL_MS } = deps;
  let retentionAt = 0;

  async function numberAll(signal: AbortSignal): Promise<void> {
    for (let numbered = BATCH; numbered === BATCH && !signal.aborted; ) {
      numbered = await store.write((tx) => tx.events.number(BATCH));
      if (numbered > 0) deps.onNumbered?.();
    }
  }

  return createWorker({
    name: 'sequencer',
    ...{ log, clock },
    failed: 'events could not be numbered; trying again',
    recovered: 'events are numbered again',
    intervalMs: pollMs,
    longestRetryMs: MAX_RETRY_MS,
    alone: (signal, rounds) => store.exclusively('sequencer', signal, rounds),
    ...(store.kind === 'postgres' ? { wokenBy: store.onEvents } : {}),
    async round(signal) {
      await numberAll(signal);
      if (clock() < retentionAt) return;
      await store.write((tx) => tx.events.deleteOlderThan(clock() - KEEP_MS));
      retentionAt = clock() + RETENTION_EVERY_MS;
    },
  });
}
