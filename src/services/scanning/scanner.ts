/**
 * Works through scans of the chain, one at a time. Accounts come in turn, each for a few seconds with its oldest scans: a long one goes on
 * from its noted height when its account's turn comes again.
 */
import type { Logger } from 'pino';
import { DomainError, SOURCE_LIMIT_CODES, StoreUnavailable } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { createWorkOutage } from '../../outages/outage.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import type { Worker } from '../../scheduling/worker.ts';

/**
 * done: it is over, or gone; more: the time was over, and it goes on from what the record says; restart: it is to begin from the start again;
 * later: the follower and the node disagree about the chain.
 */
export type ScanOutcome = 'done' | 'more' | 'restart' | 'later';

/** What is scanned for. */
export interface Scans<Scan> {
  readonly what: 'wallet' | 'address';
  /** Of all accounts, queued or interrupted, oldest first. */
  open(): Promise<Scan[]>;
  /** As it stands; null where it is not open any more. */
  current(scan: Scan): Promise<Scan | null>;
  /** Throws the chain source's and the store's errors. */
  scan(scan: Scan, signal: AbortSignal, timeIsOver: () => boolean): Promise<ScanOutcome>;
  /** Waiting does not mend the refusal: it is over. */
  fail(scan: Scan, error: DomainError): Promise<void>;
  /** For the log. */
  about(scan: Scan): Record<string, string | number | null>;
  /** Refusals that waiting does not mend, beside those of every scan. */
  readonly final: readonly DomainError['code'][];
}

export interface ScannerOptions {
  readonly log: Logger;
  readonly clock: () => number;
  /** Of one account's turn, in milliseconds. */
  readonly sliceMs?: number | undefined;
}

/** Other processes queue scans too, without a wake; blocks leave the chain. */
const LOOK_AGAIN_MS = 2_000;
const TRY_AGAIN_MS = 1_000;
const SLICE_MS = 3_000;

const FINAL: readonly DomainError['code'][] = ['unavailable', ...SOURCE_LIMIT_CODES, 'unsupported'];

/** An account's turn. */
interface Turn<Scan> extends Job {
  /** Its open scans. */
  readonly oldest: readonly Scan[];
}

/** Run it in one process at a time: where the chain follower runs. Wake it when a scan was queued. */
export function createScanner<Scan extends { readonly accountId: AccountId }>(
  scans: Scans<Scan>,
  { log, clock, sliceMs = SLICE_MS }: ScannerOptions,
): Worker {
  const { what } = scans;
  const final = [...FINAL, ...scans.final];
  const interrupted = createWorkOutage({
    ...{ part: 'scans', log, clock },
    began: `${what} scans are interrupted, and go on from where they are`,
    ended: `${what} scans go on`,
  });
  let areOpen = false;

  async function scanOne(scan: Scan, signal: AbortSignal, isOver: () => boolean): Promise<ScanOutcome> {
    const about = scans.about(scan);
    try {
      const outcome = await scans.scan(scan, signal, isOver);
      if (outcome !== 'more') log.info({ ...about, outcome }, `${what} scan`);
      interrupted.ended();
      return outcome;
    } catch (error) {
      if (signal.aborted) return 'later';
      if (!(error instanceof DomainError) || error instanceof StoreUnavailable || !final.includes(error.code)) {
        interrupted.began(error);
        return 'later';
      }
      log.error({ ...about, err: error }, `${what} scan failed`);
      await scans.fail(scan, error);
      return 'done';
    }
  }

  /** An account's turn: `more` where any of its scans went on. One that cannot now does not keep the others waiting. */
  async function scanSome({ oldest }: Turn<Scan>, signal: AbortSignal): Promise<'more' | 'later'> {
    const end = performance.now() + sliceMs;
    const isOver = (): boolean => performance.now() >= end;
    let wentOn: 'more' | 'later' = 'later';
    for (const one of oldest) {
      for (let outcome: ScanOutcome = 'more'; outcome === 'more' || outcome === 'restart'; ) {
        if (signal.aborted || (wentOn === 'more' && isOver())) return wentOn;
        const scan = await scans.current(one);
        if (scan === null) break;
        outcome = await scanOne(scan, signal, isOver);
        if (outcome !== 'later') wentOn = 'more';
      }
    }
    return wentOn;
  }

  return createJobQueue({
    ...{ name: 'scans', log, clock, failing: interrupted },
    failed: `the ${what} scans could not be read`,
    recovered: `the ${what} scans are read again`,
    intervalMs: () => (areOpen ? TRY_AGAIN_MS : LOOK_AGAIN_MS),
    longestRetryMs: TRY_AGAIN_MS,
    atOnce: { all: 1 },
    async due() {
      const open = Map.groupBy(await scans.open(), ({ accountId }) => accountId);
      areOpen = open.size > 0;
      return [...open].map(([accountId, oldest]) => ({ key: accountId, accountId, oldest }));
    },
    perform: scanSome,
  });
}
