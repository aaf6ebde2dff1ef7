/** A worker thread of the pool (worker-pool.ts): one job at a time, as it comes. */
import { randomBytes } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import type { Network } from '../../core/network.ts';
import { type AllJobs, createAllJobs, type JobName, runJob } from './all-jobs.ts';
import type { GivenTo } from './computing.ts';
import { serveJobs } from './serve-jobs.ts';

const { network } = workerData as { network: Network };
const jobs = createAllJobs();

serveJobs((name, given) => runJob(jobs, name as JobName, given as GivenTo<AllJobs, JobName>, { network, randomBytes }));
