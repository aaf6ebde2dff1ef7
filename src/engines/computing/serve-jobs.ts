import { parentPort } from 'node:worker_threads';
import { type CrossingError, crossingError } from './crossing-errors.ts';

export interface JobMessage {
  readonly name: string;
  readonly given: unknown;
}

/** `tookMs`: of the job itself, not of its waiting. */
export type JobAnswer = { readonly made: unknown; readonly tookMs: number } | { readonly error: CrossingError };

/** The worker's side of the pool: answers each message with what the job made or why not. */
export function serveJobs(run: (name: string, given: unknown) => unknown): void {
  const port = parentPort;
  if (port === null) throw new Error('this is the entry of a worker thread');
  port.on('message', ({ name, given }: JobMessage) => {
    try {
      const began = performance.now();
      const made = run(name, given);
      port.postMessage({ made, tookMs: performance.now() - began } satisfies JobAnswer);
    } catch (error) {
      port.postMessage({ error: crossingError(error) } satisfies JobAnswer);
    }
  });
}
