/** A worker thread of the service's pool (open-computing.ts): one job at a time, as it comes. */
import { randomBytes } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import type { Network } from '../core/network.ts';
import { type AllJobs, createAllJobs, type JobName, runJob } from '../engines/computing/all-jobs.ts';
import type { JobInput } from '../engines/computing/computing.ts';
import { serveJobs } from '../engines/computing/serve-jobs.ts';
import { makePages } from '../families/service/documentation/make-pages.ts';
import { createWorkerAnswers } from '../hooks/worker-answers.ts';
import { workerOperations } from './worker-operations.ts';

const { network } = workerData as { network: Network };
const tools = { network, randomBytes };
const jobs = createAllJobs(createWorkerAnswers(workerOperations(tools)), makePages);

serveJobs((name, given) => runJob(jobs, name as JobName, given as JobInput<AllJobs, JobName>, tools));
