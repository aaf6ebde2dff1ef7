/**
 * A few worker threads, started when they are first wanted, that run one job each at a time. What is more than they can do waits: what
 * a request waits for, for a while; parts of long work behind that, for as long as it takes.
 */
import { Worker } from 'node:worker_threads';
import { DomainError } from '../../core/errors.ts';
import { errorOf } from './crossing-errors.ts';
import type { JobAnswer, JobMessage } from './serve-jobs.ts';

export interface WorkerPoolOptions {
  /** The worker's entry, which calls serveJobs. */
  readonly entry: URL;
  readonly workerData?: unknown;
  readonly size: number;
  /** Jobs that wait for a worker. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** Counted from where a worker has it. */
  readonly maxRunMs: number;
  /** Of the JavaScript heap of each worker. */
  readonly maxHeapMb: number;
  /** So long what requests wait for goes before parts of long work; from then on every other turn is a part's. */
  readonly patienceMs: number;
}

export interface WorkerPool {
  /** Throws as Computing.run does. */
  run(message: JobMessage, transfer: readonly ArrayBuffer[]): Promise<unknown>;
  /** As LongComputing.runPart. */
  runPart(message: JobMessage, transfer: readonly ArrayBuffer[], signal?: AbortSignal): Promise<MadePart>;
  /** No new jobs, none that wait; those under way have `graceMs` to end. */
  close(graceMs?: number): Promise<void>;
}

export interface MadePart {
  readonly made: unknown;
  readonly tookMs: number;
}

interface Job {
  readonly message: JobMessage;
  readonly transfer: readonly ArrayBuffer[];
  resolve(part: MadePart): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout | undefined;
  readonly since: number;
}

interface Member {
  readonly worker: Worker;
  job: Job | null;
}

const GRACE_MS = 2_000;

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const members = new Set<Member>();
  const waiting: Job[] = [];
  const parts: Job[] = [];
  let lastWasPart = false;
  let closed = false;
  let whenIdle: (() => void) | null = null;

  function start(): Member {
    const worker = new Worker(options.entry, {
      workerData: options.workerData,
      // Nothing of the service's own is any of its business.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.maxHeapMb },
    });
    const member: Member = { worker, job: null };
    members.add(member);
    worker.unref();
    worker.on('message', (answer: JobAnswer) => {
      if ('made' in answer) settle(member, (job) => job.resolve(answer));
      else settle(member, (job) => job.reject(errorOf(answer.error)));
      next();
    });
    worker.on('error', (error) => dismiss(member, reasonOf(error)));
    worker.on('messageerror', () => dismiss(member, cutOff()));
    worker.on('exit', () => dismiss(member, cutOff()));
    return member;
  }

  function settle(member: Member, end: (job: Job) => void): void {
    const { job } = member;
    if (job === null) return;
    member.job = null;
    member.worker.unref();
    clearTimeout(job.timer);
    end(job);
    if (closed && busy().length === 0) whenIdle?.();
  }

  /** The worker goes, and what it had is refused. Another takes its place when there is work. */
  function dismiss(member: Member, error: Error): void {
    if (!members.delete(member)) return;
    settle(member, (job) => job.reject(error));
    void member.worker.terminate();
    next();
  }

  function next(): void {
    while (waiting.length + parts.length > 0) {
      const free = [...members].find(({ job }) => job === null) ?? (members.size < options.size ? start() : null);
      if (free === null) return;
      lastWasPart = isPartsTurn();
      give(free, (lastWasPart ? parts : waiting).shift() as Job);
    }
  }

  function isPartsTurn(): boolean {
    const [part] = parts;
    if (part === undefined || waiting.length === 0) return part !== undefined;
    return !lastWasPart && performance.now() - part.since > options.patienceMs;
  }

  function give(member: Member, job: Job): void {
    clearTimeout(job.timer);
    member.job = job;
    // While it computes, somebody waits for it.
    member.worker.ref();
    job.timer = setTimeout(() => dismiss(member, tooLong(options.maxRunMs)), options.maxRunMs);
    try {
      member.worker.postMessage(job.message, job.transfer);
    } catch (error) {
      settle(member, () => job.reject(error as Error));
    }
  }

  const busy = (): Member[] => [...members].filter(({ job }) => job !== null);

  function refuseWaiting(error: Error): void {
    for (const job of [...waiting.splice(0), ...parts.splice(0)]) {
      clearTimeout(job.timer);
      job.reject(error);
    }
  }

  const newJob = (message: JobMessage, transfer: readonly ArrayBuffer[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<MadePart>();
    const job: Job = { message, transfer, resolve, reject, timer: undefined, since: performance.now() };
    return { job, promise };
  };

  /** False where it does not wait any more. */
  function leave(queue: Job[], job: Job): boolean {
    const at = queue.indexOf(job);
    if (at >= 0) queue.splice(at, 1);
    return at >= 0;
  }

  return {
    async run(message, transfer) {
      if (closed) throw closing();
      if (waiting.length >= options.maxWaiting) throw tooMuch();
      const { job, promise } = newJob(message, transfer);
      job.timer = setTimeout(() => {
        if (leave(waiting, job)) job.reject(tooMuch());
      }, options.maxWaitMs);
      waiting.push(job);
      next();
      return (await promise).made;
    },

    async runPart(message, transfer, signal) {
      signal?.throwIfAborted();
      if (closed) throw closing();
      const { job, promise } = newJob(message, transfer);
      const abort = (): void => {
        leave(parts, job);
        job.reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      parts.push(job);
      next();
      return promise.finally(() => signal?.removeEventListener('abort', abort));
    },

    async close(graceMs = GRACE_MS) {
      closed = true;
      refuseWaiting(closing());
      if (busy().length > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        whenIdle = resolve;
        const timer = setTimeout(resolve, graceMs);
        await promise;
        clearTimeout(timer);
      }
      const all = [...members];
      for (const member of all) dismiss(member, closing());
      await Promise.all(all.map(({ worker }) => worker.terminate()));
    },
  };
}

const tooMuch = (): DomainError =>
  new DomainError('unavailable', 'too much is being computed at the moment: try again', { retryAfterSeconds: 5 });

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
