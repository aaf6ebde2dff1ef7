/** What models were asked for and how it went, in all processes: each counts in memory and adds what it counted to the database. */
import type { OutageLog } from '../../outages/outage.ts';
import { createWorker } from '../../scheduling/worker.ts';
import type { AiMinute } from '../../store/repositories/ai-minutes.ts';
import type { Store } from '../../store/store.ts';

const MINUTE_MS = 60_000;
/** Latency and the share of errors are of these minutes of the clock, the present one among them. */
const SHOWN_MINUTES = 5;
const KEPT_MINUTES = 10;
const FLUSH_EVERY_MS = 5_000;
/** The minute under which all that there ever was is counted. */
const EVER = 0;

export interface ActivityNow {
  readonly totalRequests: number;
  readonly averageLatencyMs: number;
  readonly errorRate: number;
}

type Counted = { -readonly [Field in keyof AiMinute]: AiMinute[Field] };

export function createActivity(deps: { store: Store; clock: () => number; log: OutageLog }) {
  const { store, clock, log } = deps;
  const counted = new Map<number, Counted>();
  const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS);

  function add({ minute, requests, failures, answered, latencyMs }: AiMinute): void {
    const known = counted.get(minute);
    if (known === undefined) {
      counted.set(minute, { minute, requests, failures, answered, latencyMs });
      return;
    }
    known.requests += requests;
    known.failures += failures;
    known.answered += answered;
    known.latencyMs += latencyMs;
  }

  /** What could not be written is added to the next ones. */
  async function flush(): Promise<void> {
    if (counted.size === 0) return;
    // In a fixed order, so that processes do not deadlock.
    const taken = [...counted.values()].toSorted((one, other) => one.minute - other.minute);
    counted.clear();
    try {
      await store.write(async (tx) => {
        await tx.aiMinutes.add(taken);
        await tx.aiMinutes.deleteBefore(minuteOf(clock()) - KEPT_MINUTES);
      });
    } catch (error) {
      for (const minute of taken) add(minute);
      throw error;
    }
  }

  const worker = createWorker({
    ...{ name: 'inference activity', log, clock, round: flush, intervalMs: FLUSH_EVERY_MS },
    failed: 'how calls of models went could not be written',
    recovered: 'how calls of models went is written again',
  });

  return {
    /** Stopping writes what is left. */
    worker: {
      ...worker,
      async stop() {
        await worker.stop();
        await flush().catch((err: unknown) => log.warn({ err }, 'how the last calls of models went was not written'));
      },
    },
    /** `latencyMs`: until the whole answer was there; null: there is none. `failed`: by no doing of whoever asked. */
    count({ latencyMs, failed }: { latencyMs: number | null; failed: boolean }): void {
      const of = {
        requests: 1,
        failures: failed ? 1 : 0,
        answered: latencyMs === null ? 0 : 1,
        latencyMs: latencyMs ?? 0,
      };
      add({ minute: EVER, ...of });
      add({ minute: minuteOf(clock()), ...of });
    },
    /** What other processes counted in the last seconds is missing. */
    async now(): Promise<ActivityNow> {
      const first = minuteOf(clock()) - SHOWN_MINUTES + 1;
      const stored = await store.read.aiMinutes.since(first);
      const all = [...stored, ...counted.values()];
      const sum = (of: (minute: AiMinute) => boolean, field: keyof AiMinute): number =>
        all.filter(of).reduce((total, minute) => total + minute[field], 0);
      const lately = ({ minute }: AiMinute): boolean => minute >= first;
      const [requests, answered] = [sum(lately, 'requests'), sum(lately, 'answered')];
      return {
        totalRequests: sum(({ minute }) => minute === EVER, 'requests'),
        averageLatencyMs: answered === 0 ? 0 : Math.round(sum(lately, 'latencyMs') / answered),
        errorRate: requests === 0 ? 0 : sum(lately, 'failures') / requests,
      };
    },
  };
}

export type Activity = ReturnType<typeof createActivity>;
