/**
 * What runs beside requests runs here: rounds, one at a time, at an interval and as soon as they are woken; again after a failure, with
 * exponential backoff; in one process of several, where a lock says so; until it is stopped, which waits for the round under way.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWorkOutage, type OutageLog } from '../outages/outage.ts';
import { onAbort } from './on-abort.ts';

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** Milliseconds until the next try, after so many failures in a row before the last one. */
export const retryPause = (failures: number, longestMs = MAX_RETRY_MS): number =>
  Math.min(longestMs, FIRST_RETRY_MS * 2 ** failures);

export interface WorkerOptions {
  /** In the log and in metrics. */
  readonly name: string;
  /** The log lines of a failure that goes on, and of its end. */
  readonly failed: string;
  readonly recovered: string;
  readonly log: OutageLog;
  readonly clock: () => number;
  /** May throw: it is run again. */
  readonly round: (signal: AbortSignal) => Promise<unknown>;
  /** From the end of a round to the next where nothing wakes it. */
  readonly intervalMs: number | (() => number);
  /** The longest pause after failures in a row. What wakes the worker does not shorten it. */
  readonly longestRetryMs?: number;
  /** Runs the rounds while this process alone does (Store.exclusively): the signal that it gives aborts where that ends. */
  readonly alone?: (signal: AbortSignal, rounds: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  /** A failed round is tried again without leaving `alone`; else another process may have its place meanwhile. */
  readonly staysAlone?: boolean;
  /** Subscribes to what wakes it, within `gatherMs` where it does not say; answers the unsubscribe. */
  readonly wokenBy?: (wake: (ms?: number) => void) => () => void;
  readonly gatherMs?: number;
}

export interface Worker {
  readonly name: string;
  /** Until `stop`; nothing where it has been started. */
  start(): void;
  /** Resolves when the round under way has ended. */
  stop(): Promise<void>;
  /** Until the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** The next round begins within `ms`: one of its own after each wake, also after one that comes during a round. */
  wake(ms?: number): void;
  /** Since the process began. */
  counts(): { readonly rounds: number; readonly failures: number };
  /** What the last round or lock failed with; null after a round that did not. */
  problem(): string | null;
}

export function createWorker(options: WorkerOptions): Worker {
  const { name, log, clock, intervalMs, longestRetryMs = MAX_RETRY_MS, staysAlone = false } = options;
  const { alone = (signal, rounds) => rounds(signal), wokenBy = () => () => {} } = options;
  const outage = createWorkOutage({ part: name, log, clock, began: options.failed, ended: options.recovered });
  const counts = { rounds: 0, failures: 0 };
  let inARow = 0;
  let problem: string | null = null;
  let wokenFor = Number.POSITIVE_INFINITY;
  /** The lock was, while rounds ran: another process may do the work now, and tells how it goes on. */
  let lost = false;
  let hurry = (): void => {};
  let stopping = new AbortController();
  let running: Promise<void> | null = null;

  /** So long, until the signal, or until it is hurried. */
  function pause(ms: number, signal: AbortSignal, wakes: boolean): Promise<void> {
    const dueAt = performance.now() + ms;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const done = (): void => {
        clearTimeout(timer);
        forget();
        hurry = () => {};
        resolve();
      };
      const arm = (): void => {
        clearTimeout(timer);
        const left = Math.min(dueAt, wakes ? wokenFor : dueAt) - performance.now();
        if (left <= 0 || signal.aborted) done();
        else timer = setTimeout(done, left);
      };
      const forget = onAbort(signal, done);
      if (wakes) hurry = arm;
      arm();
    });
  }

  async function rounds(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      wokenFor = Number.POSITIVE_INFINITY;
      await options.round(signal);
      // Whatever wakes it during each round, others come between them.
      await nextTurn();
      counts.rounds++;
      inARow = 0;
      problem = null;
      outage.ended();
      await pause(typeof intervalMs === 'number' ? intervalMs : intervalMs(), signal, true);
    }
  }

  async function again(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      lost = false;
      try {
        await work(signal);
        if (lost && !signal.aborted) outage.ended();
      } catch (error) {
        if (signal.aborted) return;
        counts.failures++;
        problem = error instanceof Error ? error.message : String(error);
        if (lost) outage.ended();
        else outage.began(error);
        await pause(retryPause(inARow++, longestRetryMs), signal, false);
      }
    }
  }

  async function lead(held: AbortSignal): Promise<void> {
    try {
      await (staysAlone ? again(rounds, held) : rounds(held));
    } finally {
      lost = held.aborted;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    const unsubscribe = wokenBy((ms = options.gatherMs) => wake(ms));
    try {
      await again((free) => alone(free, lead), signal);
    } finally {
      unsubscribe();
    }
  }

  function wake(ms = 0): void {
    wokenFor = Math.min(wokenFor, performance.now() + ms);
    hurry();
  }

  return {
    name,
    start() {
      if (running !== null) return;
      stopping = new AbortController();
      running = run(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
      running = null;
    },
    run,
    wake,
    counts: () => ({ ...counts }),
    problem: () => problem,
  };
}
