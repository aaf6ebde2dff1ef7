/** Whether a second chain source has the blocks that this service follows. Each process asks for itself. */
import type { ChainSource } from '../../chain/chain-source.ts';
import type { OutageLog } from '../../outages/outage.ts';
import { createWorker } from '../../scheduling/worker.ts';
import type { Store } from '../../store/store.ts';
import type { Found } from './checks.ts';

const EVERY_MS = 60_000;
const LONGEST_RETRY_MS = 60_000;
/** Older answers say nothing of now. */
const FRESH_MS = 900_000;
/** Below the lower of both tips: two blocks at one height are usual for a while. */
const BELOW_TIP = 2;
const MOST_BEHIND = 6;

interface Compared {
  readonly at: number;
  readonly height: number;
  readonly witnessHeight: number;
  readonly comparedHeight: number;
  /** null: this service has no block there, or the other source none. */
  readonly agrees: boolean | null;
}

export function createChainWitness(deps: {
  witness: Pick<ChainSource, 'info' | 'blockHashAt'>;
  store: Pick<Store, 'read'>;
  log: OutageLog;
  clock: () => number;
}) {
  const { witness, store, log, clock } = deps;
  let last: Compared | null = null;

  async function round(): Promise<void> {
    const [tip, { height: witnessHeight }] = await Promise.all([store.read.ledger.tip(), witness.info()]);
    if (tip === null) return;
    const comparedHeight = Math.max(0, Math.min(tip.height, witnessHeight) - BELOW_TIP);
    const other = await witness.blockHashAt(comparedHeight);
    const own = (await store.read.ledger.blockAt(comparedHeight))?.hash ?? null;
    const agrees = own === null || other === null ? null : own === other;
    if (agrees === false && last?.agrees !== false)
      log.warn(
        { part: 'witness', comparedHeight, own, other },
        'another chain source has another block at this height',
      );
    last = { at: clock(), height: tip.height, witnessHeight, comparedHeight, agrees };
  }

  return {
    worker: createWorker({
      ...{ name: 'witness', log, clock, round, intervalMs: EVERY_MS, longestRetryMs: LONGEST_RETRY_MS },
      failed: 'the second chain source does not answer',
      recovered: 'the second chain source answers again',
    }),
    /** What the last comparison found; null where it found nothing, or is not of now. */
    agrees: (now: number): boolean | null => (last === null || now - last.at > FRESH_MS ? null : last.agrees),
    look(now: number): Found {
      const evidence = {
        compared_at: last?.at ?? null,
        ...{ compared_height: last?.comparedHeight ?? null },
        ...{ height: last?.height ?? null, witness_height: last?.witnessHeight ?? null },
      };
      if (last === null || last.agrees === null || now - last.at > FRESH_MS) return { status: 'unknown', evidence };
      if (!last.agrees) return { status: 'fail', evidence };
      return { status: Math.abs(last.height - last.witnessHeight) > MOST_BEHIND ? 'warn' : 'pass', evidence };
    },
  };
}
