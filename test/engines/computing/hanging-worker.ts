/** A worker of the pool that never answers. */
import { serveJobs } from '../../../src/engines/computing/serve-jobs.ts';

serveJobs(() => {
  for (;;);
});
