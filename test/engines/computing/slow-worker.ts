/** A worker of the pool that is loaded after a second. */
import { serveJobs } from '../../../src/engines/computing/serve-jobs.ts';

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
serveJobs((_, given) => given);
