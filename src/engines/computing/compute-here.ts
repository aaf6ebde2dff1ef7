import { setImmediate as turn } from 'node:timers/promises';
import { type ClosableComputing, createAllJobs, type JobTools, runJob } from './all-jobs.ts';
import type { AnswerJobs } from './computing.ts';

/** In the thread that asks. */
export function computeHere(tools: JobTools, answer?: AnswerJobs['operation.answer']): ClosableComputing {
  const jobs = createAllJobs(answer);
  return {
    parallel: 1,
    async run(name, given, { signal }) {
      signal?.throwIfAborted();
      return runJob(jobs, name, given, tools);
    },
    async runPart(name, given, { signal }) {
      await turn();
      signal?.throwIfAborted();
      const began = performance.now();
      return { made: await runJob(jobs, name, given, tools), tookMs: performance.now() - began };
    },
    load: () => ({ running: 0, waiting: 0 }),
    close: async () => {},
  };
}
