import { availableParallelism } from 'node:os';
import { isHeavy } from '../../core/psbt/jobs/is-heavy.ts';
import type { JobTools, Made } from '../../core/psbt/jobs/psbt-jobs.ts';
import { computeHere } from './compute-here.ts';
import type { ClosableComputing } from './computing.ts';
import { createWorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const MOST_WORKERS = 4;

/** Waiting and running together are less than a request may take (30 s). */
const POOL: Omit<WorkerPoolOptions, 'entry' | 'workerData' | 'size'> = {
  maxWaiting: 32,
  maxWaitMs: 5_000,
  maxRunMs: 23_000,
  maxHeapMb: 1_024,
};

/** Beside the sources there is a worker to run as TypeScript, in the build one that was compiled. */
const ENTRY = new URL(`./psbt-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Heavy jobs go to worker threads, with one core left to whoever answers requests; the others are done at once. */
export function createComputing(tools: JobTools, pool: Partial<WorkerPoolOptions> = {}): ClosableComputing {
  const workers = createWorkerPool({
    ...POOL,
    entry: ENTRY,
    workerData: { network: tools.network },
    size: Math.max(1, Math.min(MOST_WORKERS, availableParallelism() - 1)),
    ...pool,
  });
  const here = computeHere(tools);
  return {
    async run(name, given, transfer = []) {
      if (!isHeavy(given)) return here.run(name, given);
      const made = await workers.run(
        { name, given },
        transfer.map(({ buffer }) => buffer),
      );
      return made as Made<typeof name>;
    },
    close: (graceMs) => workers.close(graceMs),
  };
}
