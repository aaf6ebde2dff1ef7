import { parentPort, workerData } from 'node:worker_threads';
import { lockNativeCalls } from '../../core/keys/native-secp256k1.ts';
import { threadLock } from '../../core/keys/thread-lock.ts';
import { type CrossingError, crossingError } from './crossing-errors.ts';

export interface JobMessage {
  readonly name: string;
  readonly given: unknown;
}

/** `tookMs`: of the job itself, not of its waiting. The first says that all is loaded. */
export type JobAnswer =
  | { readonly ready: true }
  | { readonly made: unknown; readonly tookMs: number }
  | { readonly error: CrossingError };

/** An answer is not copied. */
const handedOver = (made: unknown): ArrayBuffer[] =>
  typeof made === 'object' && made !== null && 'answer' in made && made.answer instanceof Uint8Array
    ? [made.answer.buffer as ArrayBuffer]
    : [];

/** What every worker of the pool is given, beside its entry's own. */
export interface WorkerData {
  readonly lock: Int32Array;
}

/** The worker's side of the pool: answers each message with what the job made or why not. */
export function serveJobs(run: (name: string, given: unknown) => unknown): void {
  const port = parentPort;
  if (port === null) throw new Error('this is the entry of a worker thread');
  const lock = threadLock((workerData as WorkerData).lock);
  lockNativeCalls(lock);
  lock.leave();
  port.postMessage({ ready: true } satisfies JobAnswer);
  port.on('message', async ({ name, given }: JobMessage) => {
    try {
      const began = performance.now();
      const made = await run(name, given);
      port.postMessage({ made, tookMs: performance.now() - began } satisfies JobAnswer, handedOver(made));
    } catch (error) {
      port.postMessage({ error: crossingError(error) } satisfies JobAnswer);
    }
  });
}
