import type { ClosableComputing, JobTools } from '../engines/computing/all-jobs.ts';
import { createComputing, type PoolOptions } from '../engines/computing/create-computing.ts';

/** Beside the sources there is a worker to run as TypeScript, in the build one that was compiled. */
const ENTRY = new URL(`./job-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** The service's computing, whose workers know the operations, too. */
export const openComputing = (tools: JobTools, pool: Partial<PoolOptions> = {}): ClosableComputing =>
  createComputing(tools, { entry: ENTRY, ...pool });
