import { setTimeout as sleep } from 'node:timers/promises';
import { type BackgroundWork, createBackgroundWork } from '../../events/background-work.ts';
import type { Pulse } from '../../events/pulse.ts';
import type { OutageLog } from '../../outages/outage.ts';
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

export type Sealer = BackgroundWork;

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
}): Sealer {
  const { store, signHeads, clock, log, gatherMs = GATHER_MS } = deps;

  /** Seals all there is. Answers from where to look next time. */
  async function sealAll(mark: bigint | null, signal: AbortSignal): Promise<bigint | null> {
    while (!signal.aborted) {
      const limit = mark === null ? CATCH_UP : BATCH;
      const found = await store.read.audit.unsealed(mark, limit);
      for (let start = 0; start < found.records.length; start += BATCH) {
        const batch = found.records.slice(start, start + BATCH);
        await store.write((tx) => sealBatch(tx, batch));
      }
      // Only a look that left nothing over moves the mark.
      if (found.records.length < limit) return found.mark;
    }
    return mark;
  }

  async function seal(pulse: Pulse, signal: AbortSignal): Promise<void> {
    let mark: bigint | null = null;
    let headsDue = clock();
    while (!signal.aborted) {
      mark = await sealAll(mark, signal);
      if (clock() >= headsDue) {
        await signHeads();
        headsDue = (Math.floor(clock() / HEADS_EVERY_MS) + 1) * HEADS_EVERY_MS;
      }
      await pulse.wait(Math.min(LOOK_EVERY_MS, Math.max(headsDue - clock(), 1)), signal);
      await sleep(gatherMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return createBackgroundWork({
    store,
    name: 'sealer',
    subscribe: (wake) => store.onAudit(wake),
    work: seal,
    ...{ log, clock },
    failure: 'the audit log could not be sealed; trying again',
    success: 'the audit log is sealed again',
  });
}
