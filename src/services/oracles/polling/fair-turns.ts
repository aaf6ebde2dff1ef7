/** One question to one server. */
export interface Turn {
  /** Of equal ones a single one is under way. */
  readonly key: string;
  readonly accountId: string;
  readonly host: string;
  /** Does not reject. */
  run(): Promise<void>;
}

export interface FairTurns {
  /** Instead of those that wait. In this order, each as soon as its account and its host have room. Those under way go on. */
  offer(turns: readonly Turn[]): void;
  /** When all have ended. */
  ended(): Promise<void>;
}

/** So many at a time: altogether, of one account, of one host. Whoever waits for a full one lets the others by. */
export function createFairTurns(most: { readonly all: number; readonly ofAccount: number; readonly ofHost: number }) {
  let waiting: Turn[] = [];
  const underWay = new Map<string, { turn: Turn; done: Promise<void> }>();
  const accounts = new Map<string, number>();
  const hosts = new Map<string, number>();

  const hasRoom = ({ key, accountId, host }: Turn): boolean =>
    !underWay.has(key) && (accounts.get(accountId) ?? 0) < most.ofAccount && (hosts.get(host) ?? 0) < most.ofHost;

  function next(): void {
    const left: Turn[] = [];
    for (const turn of waiting) {
      if (underWay.size < most.all && hasRoom(turn)) begin(turn);
      else left.push(turn);
    }
    waiting = left;
  }

  function begin(turn: Turn): void {
    count(accounts, turn.accountId, 1);
    count(hosts, turn.host, 1);
    const done = turn.run().finally(() => {
      underWay.delete(turn.key);
      count(accounts, turn.accountId, -1);
      count(hosts, turn.host, -1);
      next();
    });
    underWay.set(turn.key, { turn, done });
  }

  const turns: FairTurns = {
    offer(offered) {
      waiting = [...offered];
      next();
    },
    async ended() {
      while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
  return turns;
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
