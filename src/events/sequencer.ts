import type { OutageLog } from '../outages/outage.ts';
import type { Store } from '../store/store.ts';
import { type BackgroundWork, createBackgroundWork } from './background-work.ts';
import type { Pulse } from './pulse.ts';

const BATCH = 1_000;
const POLL_MS = 500;
const KEEP_MS = 30 * 24 * 3_600_000;
const RETENTION_EVERY_MS = 3_600_000;

export type Sequencer = BackgroundWork;

/**
 * Gives committed events their place in the one sequence, in the order of their ids; one process at a time does so. Numbering after
 * the commit means that none appears behind a higher number. Also deletes events older than 30 days.
 */
export function createSequencer(deps: {
  store: Pick<Store, 'exclusively' | 'onEvents' | 'write'>;
  clock: () => number;
  log: OutageLog;
  /** Called after events were numbered in this process. */
  onNumbered?: () => void;
  pollMs?: number;
}): Sequencer {
  const { store, clock, log, pollMs = POLL_MS } = deps;

  async function numberAll(signal: AbortSignal): Promise<void> {
    for (let numbered = BATCH; numbered === BATCH && !signal.aborted; ) {
      numbered = await store.write((tx) => tx.events.number(BATCH));
      if (numbered > 0) deps.onNumbered?.();
    }
  }

  async function sequence(pulse: Pulse, signal: AbortSignal): Promise<void> {
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

  return createBackgroundWork({
    store,
    name: 'sequencer',
    subscribe: (wake) => store.onEvents(wake),
    work: sequence,
    ...{ log, clock },
    failure: 'events could not be numbered; trying again',
    success: 'events are numbered again',
  });
}
