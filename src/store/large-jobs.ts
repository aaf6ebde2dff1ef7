/** Jobs of thousands of rows: those that wait for the writer, or hold a connection, are few, whoever asks for how many. */
import type { AccountId } from '../core/ids.ts';
import { createFairQueue } from '../scheduling/fair-queue.ts';
import type { Store } from './store.ts';

export function createLargeJobs(write: Store['write'], atOnce: number): Store['writeLarge'] {
  const queue = createFairQueue({ all: atOnce, ofAccount: 1 });
  return (asker: { readonly accountId: AccountId; readonly signal: AbortSignal }, job) =>
    queue.take(asker, () => write(job));
}
