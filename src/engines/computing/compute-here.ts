import { type JobTools, runPsbtJob } from '../../core/psbt/jobs/psbt-jobs.ts';
import type { ClosableComputing } from './computing.ts';

/** In the thread that asks. */
export const computeHere = (tools: JobTools): ClosableComputing => ({
  run: async (name, given) => runPsbtJob(name, given, tools),
  close: async () => {},
});
