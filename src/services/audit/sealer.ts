import type { OutageLog } from '../../outages/outage.ts';
import { createWorker, type Worker } from '../../scheduling/worker.ts';
import type { Store } from '../../store/store.ts';
import { sealBatch } from './seal-batch.ts';

/** Records sealed in one job: some milliseconds of the writer's time. */
const BATCH = 256;
/** Looked for at once while it is not known from where to look: that goes through the whole log. */
const CATCH_UP = 4_096;
/** What is written together is sealed together: under load this is the pace, and not every commit. */
const GATHER_MS = 100;
/** For what a command line beside the service wrote. */
const LOOK_EVERY_MS = 60_000;
const HEADS_EVERY_MS = 3_600_000;
const MAX_RETRY_MS = 1_000;

/**
 * Gives committed audit records their place in their log's chain, in the order in which they became visible; one process at a time does
 * so. What was committed before a crash is found by its missing seal. Signs a head of every log that has grown, each hour.
 */
export function createSealer(deps: {
  store: Pick<Store, 'exclusively' | 'onAudit' | 'read' | 'write'>;
  signHeads: () => Promise<void>;
  clock: () => number;
  log: OutageLog;
  gatherMs?: number;
}): Worker {
  const { store, signHeads, clock, log, gatherMs = GATHER_MS } = deps;
  let mark: bigint | null = null;
  let headsDue = 0;

  /** Seals all there is, from `mark` on. */
  async function sealAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const limit = mark === null ? CATCH_UP : BATCH;
      const found = await store.read.audit.unsealed(mark, limit);
      for (let start = 0; start < found.records.length; start += BATCH) {
        const batch = found.records.slice(start, start + BATCH);
        await store.write((tx) => sealBatch(tx, batch));
      }
      // Only a look that left nothing over moves the mark.
      if (found.records.length === limit) continue;
      mark = found.mark;
      return;
    }
  }

  return createWorker({
    name: 'sealer',
    ...{ log, clock },
    failed: 'the audit log could not be sealed; trying again',
    recovered: 'the audit log is sealed again',
    intervalMs: () => Math.min(LOOK_EVERY_MS, Math.max(headsDue - clock(), 1)),
    longestRetryMs: MAX_RETRY_MS,
    alone: (signal, rounds) =>
      store.exclusively('sealer', signal, (held) => {
        mark = null;
        headsDue = 0;
        return rounds(held);
      }),
    wokenBy: store.onAudit,
    gatherMs,
    async round(signal) {
      await sealAll(signal);
      if (clock() >= headsDue) {
        await signHeads();
        headsDue = (Math.floor(clock() / HEADS_EVERY_MS) + 1) * HEADS_EVERY_MS;
      }
    },
  });
}
