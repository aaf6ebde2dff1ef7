import { type AddressBookParams, addressBookJobs, isShortAddressBook } from '../../core/address-book/csv-job.ts';
import { analysisJobs } from '../../core/analytics/analyse.ts';
import type { ContractInfo } from '../../core/dlc/contract-info.ts';
import { createDlcJobs } from '../../core/dlc/jobs/dlc-jobs.ts';
import { isSmall } from '../../core/dlc/jobs/is-small.ts';
import { areFewBytes, type MessagesParams, messageJobs } from '../../core/dlc/jobs/message-jobs.ts';
import { termsJobs } from '../../core/dlc/jobs/terms-jobs.ts';
import { snapshotJobs } from '../../core/governance/snapshot.ts';
import { isShortPrompt, type PartsParams, secretsJobs } from '../../core/inference/guard/find-in-parts.ts';
import { paymentJobs, type SignaturesParams } from '../../core/payments/add-signatures.ts';
import { planningJobs } from '../../core/payments/planning-job.ts';
import { isHeavy } from '../../core/psbt/jobs/is-heavy.ts';
import { type Given, type PsbtJobName, psbtJobs } from '../../core/psbt/jobs/psbt-jobs.ts';
import type { JobTools } from '../../core/psbt/jobs/sign-job.ts';
import {
  isShortTransaction,
  type SubmissionParams,
  submissionJobs,
} from '../../core/relay-policy/submitted-transaction.ts';
import { reservesJobs } from '../../core/reserves/reserves-jobs.ts';
import { isShortList, screeningJobs } from '../../core/screening/screening-csv.ts';
import { musigJobs } from '../../core/taproot/musig/musig-jobs.ts';
import { isShortFile, type LabelsParams, labelJobs } from '../../core/wallets/label-jobs.ts';
import { forecastJobs } from '../forecasting/forecast-job.ts';
import { printJobs } from '../printing/print-report.ts';
import { schemaJobs } from '../schemas/schema-job.ts';
import type { AnswerJobs, Closable, Computing, JobInput, JobOutput, LongComputing, PageJobs } from './computing.ts';

const unknownHere: AnswerJobs['operation.answer'] = async ({ operation }) => {
  throw new Error(`${operation} is answered where operations are known`);
};

const noPages: PageJobs['pages.make'] = async ({ group }) => {
  throw new Error(`${group} are made where families are known`);
};

/**
 * What the workers do. The one place that knows all of it; whoever asks is typed by its own jobs alone. How operations are answered and
 * pages made is told by whoever knows them.
 */
export const createAllJobs = (answer = unknownHere, makePages = noPages) => ({
  ...psbtJobs,
  ...paymentJobs,
  ...planningJobs,
  ...labelJobs,
  ...addressBookJobs,
  ...submissionJobs,
  ...musigJobs,
  ...reservesJobs,
  ...snapshotJobs,
  ...screeningJobs,
  ...secretsJobs,
  ...createDlcJobs(),
  ...termsJobs,
  ...messageJobs,
  ...analysisJobs,
  ...forecastJobs,
  ...printJobs,
  ...schemaJobs,
  'operation.answer': answer,
  'pages.make': makePages,
});
export type AllJobs = ReturnType<typeof createAllJobs>;
export type JobName = keyof AllJobs;
export type { JobTools };

/** The service's computing, for every kind of job. */
export interface ClosableComputing extends Computing<AllJobs>, LongComputing<AllJobs>, Closable {}

export const runJob = async <Name extends JobName>(
  jobs: AllJobs,
  name: Name,
  given: JobInput<AllJobs, Name>,
  tools: JobTools,
): Promise<JobOutput<AllJobs, Name>> =>
  (jobs[name] as (given: JobInput<AllJobs, Name>, tools: JobTools) => JobOutput<AllJobs, Name>)(given, tools);

/** What is done at once, since handing it over would take as long. */
export const isLight = (name: JobName, given: unknown): boolean =>
  (name in psbtJobs && !isHeavy(given as Given<PsbtJobName>)) ||
  (name in paymentJobs && !(given as SignaturesParams).musig && !isHeavy(given as Given<'psbt.combine'>)) ||
  (name === 'messages.check' && areFewBytes(given as MessagesParams)) ||
  (name === 'transaction.read' && isShortTransaction(given as SubmissionParams)) ||
  (name === 'labels.read' && isShortFile(given as LabelsParams)) ||
  (name === 'address-book.read' && isShortAddressBook(given as AddressBookParams)) ||
  (name === 'screening.read' && isShortList(given as { csv: string })) ||
  (name === 'secrets.find' && isShortPrompt(given as PartsParams)) ||
  (name === 'terms.check' && isSmall((given as { info: ContractInfo }).info, FEW_CASES));

/** Gone through in a millisecond. */
const FEW_CASES = 100;
