import { availableParallelism } from 'node:os';
import { type AllJobs, type ClosableComputing, isLight, type JobTools } from './all-jobs.ts';
import { computeHere } from './compute-here.ts';
import type { JobOutput } from './computing.ts';
import { createWorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const MAX_WORKERS = 4;

/**
 * Waiting and running together are less than a request may take (30 s), and waiting is longer than running: behind one job of another
 * account, every job has its turn. Parts of long work wait as long as it takes.
 */
const POOL: Omit<WorkerPoolOptions, 'entry' | 'workerData' | 'size'> = {
  maxWaiting: 32,
  maxWaitMs: 15_000,
  maxRunMs: 14_000,
  maxHeapMb: 1_024,
  patienceMs: 500,
};

export type PoolOptions = Pick<WorkerPoolOptions, 'entry'> & Partial<WorkerPoolOptions>;

/** Heavy jobs go to worker threads, with one core left to whoever answers requests; the others are done at once. */
export function createComputing(tools: JobTools, pool: PoolOptions): ClosableComputing {
  const size = pool.size ?? Math.max(1, Math.min(MAX_WORKERS, availableParallelism() - 1));
  const workers = createWorkerPool({ ...POOL, workerData: { network: tools.network }, ...pool, size });
  const here = computeHere(tools);
  return {
    parallel: size,
    async run(name, given, whose) {
      if (isLight(name, given)) return here.run(name, given, whose);
      return (await workers.run({ name, given }, whose)) as JobOutput<AllJobs, typeof name>;
    },
    async runPart(name, given, whose) {
      const { made, tookMs } = await workers.runPart({ name, given }, whose);
      return { made: made as JobOutput<AllJobs, typeof name>, tookMs };
    },
    load: workers.load,
    close: (graceMs) => workers.close(graceMs),
  };
}
