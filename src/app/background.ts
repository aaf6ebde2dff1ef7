/** What runs beside requests: what the services bring is started in order, counted, and stopped in the opposite order. */
import type { Follower } from '../chain/follower/index.ts';
import type { OutageLog } from '../outages/outage.ts';
import { createWorker, type Worker } from '../scheduling/worker.ts';

const SWEEP_EVERY_MS = 3_600_000;
const LONGEST_RETRY_MS = 60_000;

export interface BackgroundWork extends Pick<Worker, 'name' | 'stop' | 'counts'> {
  start(): void | Promise<void>;
}

export interface Background {
  add(...work: readonly BackgroundWork[]): void;
  /** What runs for as long as the process is the one that follows the chain. */
  whileFollowing(follower: Pick<Follower, 'brings'>, ...work: readonly Worker[]): void;
  /** Deletes what has expired, at the start and every hour. */
  sweep(sweep: () => Promise<number>): void;
  start(): Promise<void>;
  /** By name: of several of one name, the sum. */
  counts(): ReadonlyMap<string, { rounds: number; failures: number }>;
}

export function createBackground(deps: {
  log: OutageLog;
  clock: () => number;
  disposables: AsyncDisposableStack;
}): Background {
  const { log, clock, disposables } = deps;
  const all: BackgroundWork[] = [];
  const brought: Worker[] = [];
  return {
    add: (...work) => void all.push(...work),
    whileFollowing(follower, ...work) {
      follower.brings(...work);
      brought.push(...work);
    },
    sweep(round) {
      const sweeper = createWorker({
        ...{ name: 'sweeper', log, clock, round, intervalMs: SWEEP_EVERY_MS, longestRetryMs: LONGEST_RETRY_MS },
        failed: 'what has expired could not be deleted',
        recovered: 'what has expired is deleted again',
      });
      all.push(sweeper);
    },
    async start() {
      for (const work of all) {
        await work.start();
        disposables.defer(() => work.stop());
      }
    },
    counts() {
      const sums = new Map<string, { rounds: number; failures: number }>();
      for (const { name, counts } of [...all, ...brought]) {
        const [one, sum] = [counts(), sums.get(name)];
        sums.set(name, {
          rounds: (sum?.rounds ?? 0) + one.rounds,
          failures: (sum?.failures ?? 0) + one.failures,
        });
      }
      return sums;
    },
  };
}
