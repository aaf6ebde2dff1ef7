/**
 * The one way in which accounts share what there is little of: worker threads, derivations of keys, questions to the node and to
 * oracles, scans. So many at a time, of all, of an account, of a host; accounts come in turn, so that how long one waits depends on how
 * many accounts there are, and never on how much another has asked for.
 */

import { onAbort } from './on-abort.ts';
import { roundRobin } from './round-robin.ts';

export interface FairQueueOptions {
  /** Under way together. */
  readonly all: number;
  /** Of those, for one account. */
  readonly ofAccount?: number;
  /** Of those, that ask one server. */
  readonly ofHost?: number;
  /** Of one account, that wait: what it asks beyond is refused. */
  readonly waiting?: number;
  /** So long one waits at most, in milliseconds. */
  readonly waitMs?: number;
  /** The refusal of what would wait too long. */
  readonly busy?: () => Error;
  /**
   * What is asked for as `behind` goes behind the rest for so many milliseconds; from then on every other turn is such a one's. It waits
   * for as long as it takes, however many they are, and may take every place.
   */
  readonly patienceMs?: number;
}

export interface Asker {
  readonly accountId: string;
  /** Of the server that is asked. */
  readonly host?: string | undefined;
  /** Ends the waiting, with its reason. Whoever is under way sees to it on its own. */
  readonly signal?: AbortSignal | undefined;
  /** Long work, cut into slices. */
  readonly behind?: boolean;
}

export interface FairQueue {
  /** Does the work when its turn comes. Throws what the work throws, the signal's reason, `busy`. */
  take<Made>(asker: Asker, work: () => Promise<Made>): Promise<Made>;
  /** The same for nobody who waits. False, and nothing, where a work of this key waits or is under way. `work` does not reject. */
  offer(key: string, asker: Asker, work: () => Promise<unknown>): boolean;
  /** All that wait leave, with this reason; those under way go on. */
  dismiss(reason: unknown): void;
  /** Resolves when nothing is under way and nothing waits. */
  ended(): Promise<void>;
}

interface Waiter {
  readonly accountId: string;
  readonly host: string | undefined;
  readonly since: number;
  begin(): void;
  refuse(reason: unknown): void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const {
    all,
    ofAccount = all,
    ofHost = all,
    waiting = Number.POSITIVE_INFINITY,
    waitMs,
    busy,
    patienceMs = 0,
  } = options;
  const ahead = roundRobin<Waiter>(ofAccount);
  const behind = roundRobin<Waiter>(all);
  const hosts = new Map<string, number>();
  const keys = new Set<string>();
  let underWay = 0;
  let lastWasBehind = false;
  const idle: (() => void)[] = [];

  const hostHasRoom = (host: string): boolean => (hosts.get(host) ?? 0) < ofHost;

  function next(): void {
    while (underWay < all) {
      const [first, patient] = [ahead.next(hostHasRoom), behind.next(hostHasRoom)];
      const isOver = patient !== undefined && !lastWasBehind && performance.now() - patient.since > patienceMs;
      const one = isOver ? patient : (first ?? patient);
      if (one === undefined) return;
      lastWasBehind = one === patient;
      one.begin();
    }
  }

  function count(host: string | undefined, by: number): void {
    underWay += by;
    if (host === undefined) return;
    const now = (hosts.get(host) ?? 0) + by;
    if (now > 0) hosts.set(host, now);
    else hosts.delete(host);
  }

  /** Resolves when the turn has come, with what ends it. */
  function enter(
    { accountId, host, signal, behind: isBehind = false }: Asker,
    onRefused = (): void => {},
  ): Promise<() => void> {
    const queue = isBehind ? behind : ahead;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let waits = true;
      const stop = (): void => {
        waits = false;
        clearTimeout(timer);
        forget();
      };
      const waiter: Waiter = {
        ...{ accountId, host, since: performance.now() },
        begin() {
          stop();
          queue.begin(waiter);
          count(host, 1);
          resolve(() => {
            queue.end(waiter);
            count(host, -1);
            next();
            rest();
          });
        },
        refuse(reason) {
          stop();
          leave();
          onRefused();
          reject(reason);
          rest();
        },
      };
      const forget = signal ? onAbort(signal, waiter.refuse) : () => {};
      const leave = queue.add(waiter);
      if (signal?.aborted) return waiter.refuse(signal.reason);
      // If its host has no room, no other waiter can start: skip the scan, which thousands that wait would make long.
      if (host === undefined || hostHasRoom(host)) next();
      if (!waits || isBehind) return;
      if (busy && queue.waiting(accountId) > waiting) waiter.refuse(busy());
      else if (busy && waitMs !== undefined) timer = setTimeout(() => waiter.refuse(busy()), waitMs);
    });
  }

  function rest(): void {
    if (underWay > 0 || ahead.size() + behind.size() > 0) return;
    for (const tell of idle.splice(0)) tell();
  }

  async function within<Made>(leave: () => void, work: () => Promise<Made>): Promise<Made> {
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return {
    async take(asker, work) {
      const leave = await enter(asker);
      return within(leave, async () => {
        asker.signal?.throwIfAborted();
        return work();
      });
    },
    offer(key, asker, work) {
      if (keys.has(key)) return false;
      keys.add(key);
      const forget = (): void => void keys.delete(key);
      enter(asker, forget).then(
        (leave) =>
          within(() => {
            forget();
            leave();
          }, work),
        () => {},
      );
      return true;
    },
    dismiss(reason) {
      for (const waiter of [...ahead.all(), ...behind.all()]) waiter.refuse(reason);
    },
    ended: () =>
      new Promise((resolve) => {
        idle.push(resolve);
        rest();
      }),
  };
}
