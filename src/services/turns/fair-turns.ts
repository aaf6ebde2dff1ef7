/** One thing to be done for one account. */
export interface Turn {
  /** Of equal ones a single one is under way. */
  readonly key: string;
  readonly accountId: string;
  /** Of the server that is asked. */
  readonly host?: string;
  /** Does not reject. */
  run(): Promise<unknown>;
}

export interface FairTurns {
  /** Instead of those that wait, without those under way. Each begins as soon as its account and its host have room. */
  offer(turns: readonly Turn[]): void;
  /** Behind those that wait. */
  add(turns: readonly Turn[]): void;
  /** When all have ended that are under way or wait. */
  ended(): Promise<void>;
}

export interface MostAtOnce {
  readonly all: number;
  readonly ofAccount: number;
  readonly ofHost?: number;
}

/**
 * So many at a time: altogether, of one account, of one host. Accounts take turns, each with what it was given first; whoever waits for a
 * full host lets the others by.
 */
export function createFairTurns({ all, ofAccount, ofHost = all }: MostAtOnce): FairTurns {
  /** By account, the one whose turn it is first. */
  const waiting = new Map<string, Queue>();
  /** Of those that wait or are under way. */
  const keys = new Set<string>();
  const underWay = new Set<Promise<unknown>>();
  const accounts = new Map<string, number>();
  const hosts = new Map<string, number>();

  const hostHasRoom = ({ host }: Turn): boolean => host === undefined || (hosts.get(host) ?? 0) < ofHost;

  /** Taken out of what waits; undefined where nothing can begin. */
  function taken(): Turn | undefined {
    for (const [accountId, queue] of waiting) {
      if ((accounts.get(accountId) ?? 0) >= ofAccount) continue;
      const turn = firstOf(queue, hostHasRoom);
      if (turn === undefined) continue;
      waiting.delete(accountId);
      if (queue.from < queue.turns.length) waiting.set(accountId, queue);
      return turn;
    }
    return undefined;
  }

  function next(): void {
    while (underWay.size < all) {
      const turn = taken();
      if (turn === undefined) return;
      begin(turn);
    }
  }

  function begin(turn: Turn): void {
    const { key, accountId, host } = turn;
    count(accounts, accountId, 1);
    if (host !== undefined) count(hosts, host, 1);
    const done = turn.run().finally(() => {
      underWay.delete(done);
      keys.delete(key);
      count(accounts, accountId, -1);
      if (host !== undefined) count(hosts, host, -1);
      next();
    });
    underWay.add(done);
  }

  function add(turns: readonly Turn[]): void {
    for (const turn of turns) {
      if (keys.has(turn.key)) continue;
      keys.add(turn.key);
      const own = waiting.get(turn.accountId);
      if (own === undefined) waiting.set(turn.accountId, { turns: [turn], from: 0 });
      else own.turns.push(turn);
    }
    next();
  }

  return {
    add,
    offer(turns) {
      for (const { turns: left } of waiting.values()) for (const turn of left) if (turn) keys.delete(turn.key);
      waiting.clear();
      add(turns);
    },
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Taken ones leave a gap: closing it would cost as much as there are. */
interface Queue {
  readonly turns: (Turn | undefined)[];
  /** What is before it was taken. */
  from: number;
}

/** The first that may begin, taken out. */
function firstOf(queue: Queue, mayBegin: (turn: Turn) => boolean): Turn | undefined {
  const { turns } = queue;
  for (let at = queue.from; at < turns.length; at++) {
    const turn = turns[at];
    if (turn === undefined || !mayBegin(turn)) continue;
    turns[at] = undefined;
    while (queue.from < turns.length && turns[queue.from] === undefined) queue.from++;
    return turn;
  }
  return undefined;
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
