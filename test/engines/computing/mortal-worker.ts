/** A worker of the service's pool that ends at some of its jobs: those whose numbers, counted over all workers, the test names. */
import { randomBytes } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { type AllJobs, createAllJobs, type JobName, runJob } from '../../../src/engines/computing/all-jobs.ts';
import type { JobInput } from '../../../src/engines/computing/computing.ts';
import { serveJobs } from '../../../src/engines/computing/serve-jobs.ts';

const { served, deadly } = workerData as { served: Int32Array; deadly: readonly number[] };
const jobs = createAllJobs();

serveJobs((name, given) => {
  if (deadly.includes(Atomics.add(served, 0, 1))) process.exit(1);
  return runJob(jobs, name as JobName, given as JobInput<AllJobs, JobName>, { network: 'regtest', randomBytes });
});
