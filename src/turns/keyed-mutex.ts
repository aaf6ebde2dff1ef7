import { createTurns } from './turns.ts';

/** One piece of work at a time for each key, in the order in which they were asked for. A rejection of one does not keep the next. */
export type KeyedMutex<Key extends string> = <Made>(
  key: Key,
  work: () => Promise<Made>,
  /** Ends the waiting, with its reason. */
  signal?: AbortSignal,
) => Promise<Made>;

export function createKeyedMutex<Key extends string>(): KeyedMutex<Key> {
  const turns = createTurns({ all: Number.POSITIVE_INFINITY, ofAccount: 1 });
  return (key, work, signal) => turns.take({ accountId: key, signal }, work);
}
