/**
 * Works off what the database says is to be done. The database is the queue: whoever adds to it commits a row and wakes the worker, and what
 * a crash left undone is found again. Jobs of accounts come in turn (fair-queue.ts), so many at a time of all, of an account, of a host.
 */
import type { Outage } from '../outages/outage.ts';
import { createFairQueue, type FairQueue, type FairQueueOptions } from './fair-queue.ts';
import { createWorker, retryPause, type Worker, type WorkerOptions } from './worker.ts';

export interface Job {
  /** No two of one key wait or run at a time. */
  readonly key: string;
  readonly accountId: string;
  readonly host?: string | undefined;
  /** It failed the last time, and may take long to fail again: it takes no place of `atOnce`, but one of `failingAtOnce`. */
  readonly isFailing?: boolean | undefined;
}

export interface JobQueueOptions<Work extends Job> extends Omit<WorkerOptions, 'round'> {
  /** What is to be done now, the oldest of each account first. */
  readonly due: (signal: AbortSignal) => Promise<readonly Work[]>;
  /**
   * Does a part of the work, and writes what is done before it answers; `more` waits for its next turn, `later` could not be done now.
   * Ends soon after the signal. What it throws is told of and counted, and it is done again while it is due, after pauses that grow.
   */
  readonly perform: (job: Work, signal: AbortSignal) => Promise<'done' | 'more' | 'later'>;
  /** Tells of jobs that fail. */
  readonly failing: Outage;
  /** Names one that fails: after its first failure, and every ten minutes while it goes on; of all at most 20 a minute. */
  readonly named?: (job: Work, failure: { readonly attempts: number; readonly error: unknown }) => void;
  readonly atOnce: Pick<FairQueueOptions, 'all' | 'ofAccount' | 'ofHost'>;
  readonly failingAtOnce?: JobQueueOptions<Work>['atOnce'];
}

const NAMED_AGAIN_MS = 600_000;
const MOST_NAMED = { jobs: 20, inMs: 60_000 };

interface Failed {
  attempts: number;
  restsUntil: number;
  namedAt: number;
}

export function createJobQueue<Work extends Job>(options: JobQueueOptions<Work>): Worker {
  const { failing, alone = (signal, rounds) => rounds(signal) } = options;
  /** As read last: what is not among them any more has no turn. */
  let due = new Map<string, Work>();
  /** Ended since what is due began to be read: that may not know of it. */
  const ended = new Set<string>();
  /** Found due again while under way: another row of the key may have come. */
  const again = new Set<string>();
  const failed = new Map<string, Failed>();
  let failures = 0;
  let named = { since: Number.NEGATIVE_INFINITY, jobs: 0 };
  let queues: { readonly others: FairQueue; readonly failing: FairQueue };
  /** Keys that wait or are under way, in either. */
  const offered = new Set<string>();

  async function perform(key: string, signal: AbortSignal): Promise<void> {
    // What was read until now is what it does.
    again.delete(key);
    const job = due.get(key);
    if (job === undefined || signal.aborted) return void offered.delete(key);
    try {
      const outcome = await options.perform(job, signal);
      if (outcome !== 'later') failing.ended();
      // When its place is free: only then can it have another turn.
      if (outcome === 'more' || (outcome === 'done' && again.has(key))) setImmediate(() => worker.wake());
      failed.delete(key);
    } catch (error) {
      if (!signal.aborted) {
        failing.began(error);
        name(job, rest(key), error);
      }
    } finally {
      again.delete(key);
      offered.delete(key);
      ended.add(key);
    }
  }

  /** Others that wake the worker do not have it tried again sooner. */
  function rest(key: string): Failed {
    const { attempts, namedAt } = failed.get(key) ?? { attempts: 0, namedAt: Number.NEGATIVE_INFINITY };
    const pauseMs = retryPause(attempts, options.longestRetryMs);
    const entry = { attempts: attempts + 1, restsUntil: performance.now() + pauseMs, namedAt };
    failed.set(key, entry);
    failures++;
    setImmediate(() => worker.wake(pauseMs));
    return entry;
  }

  function name(job: Work, entry: Failed, error: unknown): void {
    const now = options.clock();
    // A clock that was set back counts as passed, too.
    if (options.named === undefined || Math.abs(now - entry.namedAt) < NAMED_AGAIN_MS) return;
    if (Math.abs(now - named.since) >= MOST_NAMED.inMs) named = { since: now, jobs: 0 };
    if (named.jobs >= MOST_NAMED.jobs) return;
    named.jobs++;
    entry.namedAt = now;
    options.named(job, { attempts: entry.attempts, error });
  }

  const worker = createWorker({
    ...options,
    alone: (free, rounds) =>
      alone(free, async (signal) => {
        const others = createFairQueue(options.atOnce);
        const both = { others, failing: options.failingAtOnce ? createFairQueue(options.failingAtOnce) : others };
        queues = both;
        try {
          await rounds(signal);
        } finally {
          for (const one of Object.values(both)) one.dismiss('no more work is begun');
          await Promise.all(Object.values(both).map((one) => one.ended()));
          offered.clear();
        }
      }),
    async round(signal) {
      ended.clear();
      const read = await options.due(signal);
      due = new Map(read.filter(({ key }) => !ended.has(key)).map((job) => [job.key, job]));
      for (const key of failed.keys()) if (!due.has(key) && !ended.has(key)) failed.delete(key);
      for (const [key, { accountId, host, isFailing }] of due) {
        const restMs = (failed.get(key)?.restsUntil ?? 0) - performance.now();
        if (restMs > 0) {
          worker.wake(restMs);
          continue;
        }
        const queue = queues[isFailing ? 'failing' : 'others'];
        const isNew = !offered.has(key) && queue.offer(key, { accountId, host }, () => perform(key, signal));
        (isNew ? offered : again).add(key);
      }
    },
  });
  return {
    ...worker,
    counts() {
      const { rounds, failures: ofRounds } = worker.counts();
      return { rounds, failures: ofRounds + failures };
    },
  };
}
