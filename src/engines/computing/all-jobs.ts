import { createDlcJobs } from '../../core/dlc/jobs/dlc-jobs.ts';
import { isHeavy } from '../../core/psbt/jobs/is-heavy.ts';
import { type Given, type JobTools, type PsbtJobName, psbtJobs } from '../../core/psbt/jobs/psbt-jobs.ts';
import type { Closable, Computing, GivenTo, LongComputing, MadeBy } from './computing.ts';

/** What the workers do. The one place that knows all of it; whoever asks is typed by its own jobs alone. */
export const createAllJobs = () => ({ ...psbtJobs, ...createDlcJobs() });
export type AllJobs = ReturnType<typeof createAllJobs>;
export type JobName = keyof AllJobs;
export type { JobTools };

/** The service's computing, for every kind of job. */
export interface ClosableComputing extends Computing<AllJobs>, LongComputing<AllJobs>, Closable {}

export const runJob = <Name extends JobName>(
  jobs: AllJobs,
  name: Name,
  given: GivenTo<AllJobs, Name>,
  tools: JobTools,
): MadeBy<AllJobs, Name> =>
  (jobs[name] as (given: GivenTo<AllJobs, Name>, tools: JobTools) => MadeBy<AllJobs, Name>)(given, tools);

/** What is done at once, since handing it over would take as long. */
export const isLight = (name: JobName, given: unknown): boolean =>
  name in psbtJobs && !isHeavy(given as Given<PsbtJobName>);
