/** A worker thread of the pool (worker-pool.ts): one job at a time, as it comes. */
import { randomBytes } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import type { Network } from '../../core/network.ts';
import { type Given, type PsbtJobName, runPsbtJob } from '../../core/psbt/jobs/psbt-jobs.ts';
import { serveJobs } from './serve-jobs.ts';

const { network } = workerData as { network: Network };

serveJobs((name, given) => runPsbtJob(name as PsbtJobName, given as Given<PsbtJobName>, { network, randomBytes }));
