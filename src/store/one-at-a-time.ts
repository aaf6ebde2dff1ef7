import { createTurns } from '../turns/turns.ts';
import type { ExclusiveWork } from './store.ts';

/** Work that is done once at a time by its name, within this process. */
export interface OneAtATime {
  /** Names of the work that is under way. */
  readonly underWay: ReadonlySet<ExclusiveWork>;
  /** Runs what has its turn, counted among `underWay`. */
  working<T>(name: ExclusiveWork, work: () => Promise<T>): Promise<T>;
  /** Waits until no other work of this name runs, then runs `work`. Rejects with the signal's reason when it aborts before that. */
  take<T>(name: ExclusiveWork, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function createOneAtATime(): OneAtATime {
  const turns = createTurns({ all: Number.POSITIVE_INFINITY, ofAccount: 1 });
  const underWay = new Set<ExclusiveWork>();

  return {
    underWay,
    async working(name, work) {
      underWay.add(name);
      try {
        return await work();
      } finally {
        underWay.delete(name);
      }
    },
    // Those who wait are told apart by the work's name, as elsewhere by account.
    take: (name, signal, work) => turns.take({ accountId: name, signal }, () => work(signal)),
  };
}
