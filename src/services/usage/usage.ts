/** Who uses how much: per credential and UTC day, counted in memory and written together, payments by the sums that rules go by. */
import type { OutageLog } from '../../outages/outage.ts';
import { createWorker } from '../../scheduling/worker.ts';
import type { PageRequest } from '../../store/records.ts';
import type { UsageDay, UsageFilter } from '../../store/repositories/usage.ts';
import type { Store } from '../../store/store.ts';
import type { Caller, RequestContext } from '../requests/request-context.ts';

export type { UsageDay };

export const DAY_MS = 86_400_000;
const DAY_HOURS = 24;
export const FLUSH_EVERY_MS = 10_000;
/** Days that are kept. */
export const KEPT_DAYS = 400;
/** Credentials counted at once; requests of further ones are not, until those are written. */
const MOST = 50_000;

interface Count extends Pick<UsageDay, 'accountId' | 'day' | 'credentialId'> {
  requests: number;
  refusals: number;
}

export function createUsage(deps: { store: Store; clock: () => number; log: OutageLog; most?: number }) {
  const { store, clock, log, most = MOST } = deps;
  const counted = new Map<string, Count>();

  function add(count: Count): void {
    const key = `${count.day} ${count.credentialId}`;
    const known = counted.get(key);
    if (known === undefined) {
      if (counted.size < most) counted.set(key, count);
      else worker.wake();
      return;
    }
    known.requests += count.requests;
    known.refusals += count.refusals;
  }

  /** What could not be written is counted on. */
  async function flush(): Promise<void> {
    if (counted.size === 0) return;
    const taken = [...counted.values()];
    counted.clear();
    // In one order, so that processes do not wait for each other in a circle.
    const sorted = taken.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    try {
      await store.write((tx) => tx.usage.add(sorted.map((count) => ({ ...count, payments: 0, volumeSats: 0n }))));
    } catch (error) {
      for (const count of taken) add(count);
      throw error;
    }
  }

  const worker = createWorker({
    ...{ name: 'usage', log, clock, round: flush, intervalMs: FLUSH_EVERY_MS },
    failed: 'what credentials use could not be written',
    recovered: 'what credentials use is written again',
  });

  return {
    /** `flush` writes what is counted; stopping does, too. */
    worker: {
      ...worker,
      async stop() {
        await worker.stop();
        await flush().catch((err: unknown) => log.warn({ err }, 'what credentials used last was not written'));
      },
    },
    flush,
    /** One request, when it is answered. */
    count({ accountId, credential }: Caller, status: number): void {
      const now = clock();
      const refusals = status >= 400 && status < 500 ? 1 : 0;
      add({ accountId, credentialId: credential.id, day: now - (now % DAY_MS), requests: 1, refusals });
    },
    /** The latest day first. */
    async list(filter: UsageFilter, page: PageRequest, { accountId }: Pick<RequestContext, 'accountId'>) {
      const found = await store.read.usage.list(accountId, filter, page);
      const asked = found.data.map(({ credentialId: subject, day }) => {
        const first = (day / DAY_MS) * DAY_HOURS;
        return { scope: 'credential', subject, first, last: first + DAY_HOURS - 1 };
      });
      const sums = asked.length === 0 ? [] : await store.read.spendSums.totals(accountId, asked);
      const data = found.data.map((one, at) => ({
        ...one,
        payments: one.payments + (sums[at]?.count ?? 0),
        volumeSats: one.volumeSats + (sums[at]?.amountSats ?? 0n),
      }));
      return { ...found, data };
    },
    /** Forgets days of long ago; answers how many records there were. */
    sweep: () => store.write((tx) => tx.usage.deleteBefore(clock() - KEPT_DAYS * DAY_MS)),
  };
}

export type Usage = ReturnType<typeof createUsage>;

const keyOf = ({ accountId, day, credentialId }: Count): string => `${accountId} ${day} ${credentialId}`;
