/**
 * Usage per credential and UTC day, and how requests of an account were answered, for metrics. Requests are counted in memory and written in
 * batches; payments come from the sums that rules use.
 */
import { boundOf } from '../../core/metrics/latency.ts';
import { requestStatus } from '../../core/metrics/metric-table.ts';
import type { OutageLog } from '../../outages/outage.ts';
import { createWorker } from '../../scheduling/worker.ts';
import type { PageRequest } from '../../store/records.ts';
import type { RequestCount } from '../../store/repositories/metric-sums.ts';
import type { UsageDay, UsageFilter } from '../../store/repositories/usage.ts';
import type { Store } from '../../store/store.ts';
import type { Caller, RequestContext } from '../requests/request-context.ts';
import { countNamed } from './name-credentials.ts';

export type { UsageDay };

export const DAY_MS = 86_400_000;
const DAY_HOURS = 24;
export const FLUSH_EVERY_MS = 10_000;
/** Retention in days. */
export const KEPT_DAYS = 400;
/** Credentials counted between two writes; requests of further ones are not counted until the next write. */
const MOST = 50_000;
/** Counts of answers in one job. */
const WRITTEN = 500;
const MINUTE_MS = 60_000;

interface Count extends Pick<UsageDay, 'accountId' | 'day' | 'credentialId'> {
  requests: number;
  refusals: number;
}

export function createUsage(deps: { store: Store; clock: () => number; log: OutageLog; most?: number }) {
  const { store, clock, log, most = MOST } = deps;
  const counted = new Map<string, Count>();
  /** Of metrics. Where there are many, those of further credentials count for their account alone. */
  const answered = new Map<string, RequestCount & { requests: number }>();

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

  function addAnswer(count: RequestCount): void {
    const key = `${count.credentialId} ${count.minute} ${count.bound} ${count.status} ${count.accountId}`;
    const known = answered.get(key);
    if (known !== undefined) known.requests += count.requests;
    else if (answered.size < (count.credentialId === '' ? 2 * most : most)) answered.set(key, { ...count });
    else {
      worker.wake();
      if (count.credentialId !== '') addAnswer({ ...count, credentialId: '' });
    }
  }

  /** Counts that could not be written are added to the next ones. */
  async function flushDays(): Promise<void> {
    if (counted.size === 0) return;
    const taken = [...counted.values()];
    counted.clear();
    // In a fixed order, so that processes do not deadlock.
    const sorted = taken.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    try {
      await store.write((tx) => tx.usage.add(sorted.map((count) => ({ ...count, payments: 0, volumeSats: 0n }))));
    } catch (error) {
      for (const count of taken) add(count);
      throw error;
    }
  }

  async function flushAnswers(): Promise<void> {
    while (answered.size > 0) {
      const taken = [...answered].slice(0, WRITTEN);
      for (const [key] of taken) answered.delete(key);
      const counts = taken.map(([, count]) => count);
      try {
        const now = clock();
        await store.write(async (tx) => tx.metricSums.addRequests(await countNamed(tx, counts, now - (now % DAY_MS))));
      } catch (error) {
        for (const count of counts) addAnswer(count);
        throw error;
      }
    }
  }

  const flush = async (): Promise<void> => {
    await flushDays();
    await flushAnswers();
  };
  const worker = createWorker({
    ...{ name: 'usage', log, clock, round: flush, intervalMs: FLUSH_EVERY_MS },
    failed: 'the usage of credentials could not be written',
    recovered: 'the usage of credentials is written again',
  });

  return {
    /** `flush` writes the counts; so does stopping. */
    worker: {
      ...worker,
      async stop() {
        await worker.stop();
        await flush().catch((err: unknown) => log.warn({ err }, 'the last usage of credentials was not written'));
      },
    },
    flush,
    /** Counts one request when it is answered, after so many milliseconds. */
    count({ accountId, credential }: Caller, status: number, tookMs: number): void {
      const now = clock();
      const refusals = status >= 400 && status < 500 ? 1 : 0;
      add({ accountId, credentialId: credential.id, day: now - (now % DAY_MS), requests: 1, refusals });
      const of = { minute: Math.floor(now / MINUTE_MS), bound: boundOf(tookMs), status: requestStatus(status) };
      addAnswer({ accountId, credentialId: credential.id, ...of, requests: 1 });
    },
    /** Latest day first. */
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
    /** Deletes days beyond the retention; returns the number of records. */
    sweep: () => store.write((tx) => tx.usage.deleteBefore(clock() - KEPT_DAYS * DAY_MS)),
  };
}

export type Usage = ReturnType<typeof createUsage>;

const keyOf = ({ accountId, day, credentialId }: Count): string => `${accountId} ${day} ${credentialId}`;
