/**
 * A few worker threads, started when they are first wanted, that run one job each at a time. What is more than they can do waits in turn
 * (src/turns): what a request waits for, for a while; parts of long work behind that, for as long as it takes.
 */
import { Worker } from 'node:worker_threads';
import { DomainError } from '../../core/errors.ts';
import { createFairQueue } from '../../scheduling/fair-queue.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import type { ComputingFor } from './computing.ts';
import { deserializeError } from './serialized-errors.ts';
import type { JobAnswer, JobMessage, WorkerData } from './serve-jobs.ts';
import { newThreadLock, outsideOfCalls } from './thread-lock.ts';

export interface WorkerPoolOptions {
  /** The worker's entry, which calls serveJobs. */
  readonly entry: URL;
  readonly workerData?: object;
  readonly size: number;
  /** Jobs of one account that wait for a worker. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** Counted from where a worker has it and is loaded. */
  readonly maxRunMs: number;
  /** Of the JavaScript heap of each worker. */
  readonly maxHeapMb: number;
  /** So long what requests wait for goes before parts of long work; from then on every other turn is a part's. */
  readonly patienceMs: number;
}

interface MadePart {
  readonly made: unknown;
  readonly tookMs: number;
}

interface Job {
  resolve(part: MadePart): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout | undefined;
}

interface Member {
  readonly worker: Worker;
  readonly lock: Int32Array;
  readonly exited: Promise<void>;
  /** Loading it takes seconds where the machine has much to do: those are not the job's. */
  ready: boolean;
  job: Job | null;
}

const GRACE_MS = 2_000;
/** A job that nobody waits for any more: beginning a worker anew costs more than what is over by then. */
const GIVEN_UP_MS = 1_000;

export function createWorkerPool(options: WorkerPoolOptions) {
  const { size, maxWaiting, maxWaitMs, maxRunMs, patienceMs } = options;
  const members = new Set<Member>();
  // One thread is left to the other accounts, where there are several; parts are over soon.
  const ofAccount = Math.max(1, size - 1);
  const queue = createFairQueue({
    all: size,
    ofAccount,
    waiting: maxWaiting,
    waitMs: maxWaitMs,
    busy: tooMuch,
    patienceMs,
  });
  let closed = false;
  let asked = 0;

  function start(): Member {
    const lock = newThreadLock();
    const worker = new Worker(options.entry, {
      workerData: { ...options.workerData, lock } satisfies WorkerData,
      // Nothing of the service's own is any of its business.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb },
    });
    const { promise: exited, resolve: hasExited } = Promise.withResolvers<void>();
    const member: Member = { worker, lock, exited, ready: false, job: null };
    members.add(member);
    worker.unref();
    worker.on('message', (answer: JobAnswer) => {
      if ('ready' in answer) {
        member.ready = true;
        limit(member);
        return;
      }
      settle(member, (job) => ('made' in answer ? job.resolve(answer) : job.reject(deserializeError(answer.error))));
      if (answer.full) dismiss(member, cutOff());
    });
    worker.on('error', (error) => dismiss(member, reasonOf(error)));
    worker.on('messageerror', () => dismiss(member, cutOff()));
    worker.on('exit', () => {
      hasExited();
      dismiss(member, cutOff());
    });
    return member;
  }

  /** So long its job may run, unless it is given up. */
  function limit(member: Member): void {
    const { ready, job } = member;
    if (ready && job) job.timer ??= setTimeout(() => dismiss(member, tooLong(maxRunMs)), maxRunMs);
  }

  function settle(member: Member, end: (job: Job) => void): void {
    const { job } = member;
    if (job === null) return;
    member.job = null;
    member.worker.unref();
    clearTimeout(job.timer);
    end(job);
  }

  /** The worker goes, and what it had is refused. Another takes its place when there is work. */
  function dismiss(member: Member, error: unknown): void {
    if (!members.delete(member)) return;
    settle(member, (job) => job.reject(error));
    void ended(member);
  }

  /** Not within native code, which would end the process. */
  async function ended({ worker, lock, exited }: Member): Promise<void> {
    worker.ref();
    await Promise.race([outsideOfCalls(lock), exited]);
    await worker.terminate();
  }

  /** In its turn, so that there is a worker without a job, or room for one more. */
  async function give(message: JobMessage, { signal, transfer = [] }: ComputingFor): Promise<MadePart> {
    const member = [...members].find(({ job }) => job === null) ?? start();
    const { promise, resolve, reject } = Promise.withResolvers<MadePart>();
    const job: Job = { resolve, reject, timer: undefined };
    member.job = job;
    limit(member);
    // While it computes, somebody waits for it.
    member.worker.ref();
    const giveUp = (): void => {
      clearTimeout(job.timer);
      job.timer = setTimeout(() => dismiss(member, signal?.reason), Math.min(GIVEN_UP_MS, maxRunMs));
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      member.worker.postMessage(
        message,
        transfer.map(({ buffer }) => buffer),
      );
    } catch (error) {
      settle(member, () => reject(error));
    }
    return promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  /** Whoever gave it up hears so at once; its worker and its turn are free when it has ended. */
  function inTurn(message: JobMessage, whose: ComputingFor, behind: boolean): Promise<MadePart> {
    const { accountId, signal } = whose;
    if (closed) return Promise.reject(closing());
    asked++;
    const made = queue
      .take({ accountId, signal, behind }, () => give(message, whose))
      .finally(() => {
        asked--;
      });
    return signal ? untilAborted(made, signal) : made;
  }

  return {
    /** Throws as Computing.run does. */
    run: async (message: JobMessage, whose: ComputingFor) => (await inTurn(message, whose, false)).made,
    /** As LongComputing.runPart. */
    runPart: (message: JobMessage, whose: ComputingFor) => inTurn(message, whose, true),

    load() {
      const running = [...members].filter(({ job }) => job !== null).length;
      return { running, waiting: Math.max(0, asked - running) };
    },

    /** No new jobs, none that wait; those under way have `graceMs` to end. */
    async close(graceMs: number = GRACE_MS) {
      closed = true;
      queue.dismiss(closing());
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([promise, queue.ended()]);
      clearTimeout(timer);
      const all = [...members];
      for (const member of all) dismiss(member, closing());
      await Promise.all(all.map(({ exited }) => exited));
    },
  };
}

export type WorkerPool = ReturnType<typeof createWorkerPool>;

const tooMuch = (): DomainError =>
  new DomainError('unavailable', 'too much is being computed for this account at the moment: try again', {
    retryAfterSeconds: 5,
  });

const cutOff = (): DomainError =>
  new DomainError('unavailable', 'the computation was cut off: try again', { retryAfterSeconds: 1 });

const closing = (): DomainError =>
  new DomainError('unavailable', 'the service is closing: try again', { retryAfterSeconds: 5 });

const tooLong = (ms: number): DomainError =>
  new DomainError(
    'too_large',
    `it takes longer to compute than the ${ms / 1000} seconds that are given to one request`,
  );

/** What ends a worker is its memory, or a defect: jobs' own errors are answers. */
const reasonOf = (error: unknown): Error =>
  (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new DomainError('too_large', 'it takes more memory to compute than is given to one request')
    : new Error('a computing worker failed', { cause: error });
