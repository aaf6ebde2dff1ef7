import { createFairQueue } from './fair-queue.ts';

/** One piece of work at a time for each key, in the order in which they were asked for. A rejection of one does not keep the next. */
export type KeyedMutex<Key extends string> = <Made>(
  key: Key,
  work: () => Promise<Made>,
  /** Ends the waiting, with its reason. */
  signal?: AbortSignal,
) => Promise<Made>;

export function createKeyedMutex<Key extends string>(): KeyedMutex<Key> {
  const queue = createFairQueue({ all: Number.POSITIVE_INFINITY, ofAccount: 1 });
  return (key, work, signal) => queue.take({ accountId: key, signal }, work);
}
