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
  /** Instead of those that wait, without those under way. In this order, each as soon as its account and its host have room. */
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

/** So many at a time: altogether, of one account, of one host. Whoever waits for a full one lets the others by. */
export function createFairTurns({ all, ofAccount, ofHost = all }: MostAtOnce): FairTurns {
  let waiting: Turn[] = [];
  const underWay = new Map<string, Promise<unknown>>();
  const accounts = new Map<string, number>();
  const hosts = new Map<string, number>();

  const hasRoom = ({ accountId, host }: Turn): boolean =>
    underWay.size < all &&
    (accounts.get(accountId) ?? 0) < ofAccount &&
    (host === undefined || (hosts.get(host) ?? 0) < ofHost);

  function next(): void {
    const left: Turn[] = [];
    for (const turn of waiting) {
      if (hasRoom(turn)) begin(turn);
      else left.push(turn);
    }
    waiting = left;
  }

  function begin(turn: Turn): void {
    const { key, accountId, host } = turn;
    count(accounts, accountId, 1);
    if (host !== undefined) count(hosts, host, 1);
    const done = turn.run().finally(() => {
      underWay.delete(key);
      count(accounts, accountId, -1);
      if (host !== undefined) count(hosts, host, -1);
      next();
    });
    underWay.set(key, done);
  }

  function take(turns: readonly Turn[]): void {
    const known = new Set(underWay.keys());
    waiting = turns.filter(({ key }) => {
      const isNew = !known.has(key);
      known.add(key);
      return isNew;
    });
    next();
  }

  return {
    offer: take,
    add: (turns) => take([...waiting, ...turns]),
    async ended() {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
