import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { lockNativeCalls } from '../../core/keys/native-secp256k1.ts';
import { type SerializedError, serializeError } from './serialized-errors.ts';
import { threadLock } from './thread-lock.ts';

export interface JobMessage {
  readonly name: string;
  readonly given: unknown;
}

/** `tookMs`: of the job itself, not of its waiting. The first says that all is loaded. */
export type JobAnswer =
  | { readonly ready: true }
  | { readonly made: unknown; readonly tookMs: number; readonly full: boolean }
  | { readonly error: SerializedError; readonly full: boolean };

/** An answer is not copied. */
const handedOver = (made: unknown): ArrayBuffer[] =>
  typeof made === 'object' && made !== null && 'answer' in made && made.answer instanceof Uint8Array
    ? [made.answer.buffer as ArrayBuffer]
    : [];

/** What every worker of the pool is given, beside its entry's own. */
export interface WorkerData {
  readonly lock: Int32Array;
}

/**
 * Whether so much is kept here that the next job might find too little. A thread that V8 ends for its memory while native code runs in it
 * takes the process along; the pool ends it before.
 */
function isFull(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit / 3;
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
      const tookMs = performance.now() - began;
      port.postMessage({ made, tookMs, full: isFull() } satisfies JobAnswer, handedOver(made));
    } catch (error) {
      port.postMessage({ error: serializeError(error), full: isFull() } satisfies JobAnswer);
    }
  });
}
