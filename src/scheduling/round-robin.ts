/**
 * Those who wait, by account: accounts come in turn, each with whoever of its own came first; within an account its hosts come in turn.
 * What it costs to find the next grows with the accounts and hosts that are full, not with how many wait.
 */
import { createLine, type Line, type Place } from './linked-list.ts';

export interface Waiting {
  readonly accountId: string;
  readonly host: string | undefined;
}

export interface RoundRobin<One extends Waiting> {
  /** The function takes it out, where it still waits. */
  add(one: One): () => void;
  /** Whose turn it is; it still waits. `hostHasRoom` lets others by who wait for a full host. */
  next(hostHasRoom: (host: string) => boolean): One | undefined;
  /** It does not wait any more: it is under way, and its account goes behind the others. */
  begin(one: One): void;
  end(one: One): void;
  /** Of one account, that wait. */
  waiting(accountId: string): number;
  /** Of all, that wait. */
  size(): number;
  /** Everybody who waits. */
  all(): One[];
}

interface Queue<One> {
  readonly line: Line<One>;
  place: Place<Queue<One>> | null;
}

interface Account<One> {
  underWay: number;
  readonly queues: Map<string | undefined, Queue<One>>;
  readonly inTurn: Line<Queue<One>>;
  /** Among the accounts that have something to begin and room for it. */
  place: Place<Account<One>> | null;
}

export function roundRobin<One extends Waiting>(ofAccount: number): RoundRobin<One> {
  const accounts = new Map<string, Account<One>>();
  const ready = createLine<Account<One>>();
  const places = new Map<One, Place<One>>();
  const counts = new Map<string, number>();

  function accountOf({ accountId }: One): Account<One> {
    let account = accounts.get(accountId);
    if (account === undefined) {
      account = { underWay: 0, queues: new Map(), inTurn: createLine(), place: null };
      accounts.set(accountId, account);
    }
    return account;
  }

  function queueOf(account: Account<One>, host: string | undefined): Queue<One> {
    let queue = account.queues.get(host);
    if (queue === undefined) {
      queue = { line: createLine(), place: null };
      queue.place = account.inTurn.push(queue);
      account.queues.set(host, queue);
    }
    return queue;
  }

  /** Keeps the account among those whose turn may come, or out of them, or forgets it. */
  function settle(accountId: string, account: Account<One>): void {
    const mayBegin = account.queues.size > 0 && account.underWay < ofAccount;
    if (mayBegin) account.place ??= ready.push(account);
    else if (account.place !== null) {
      ready.remove(account.place);
      account.place = null;
    }
    if (account.queues.size === 0 && account.underWay === 0) accounts.delete(accountId);
  }

  function leave(one: One): boolean {
    const place = places.get(one);
    if (place === undefined) return false;
    places.delete(one);
    const { accountId, host } = one;
    const account = accountOf(one);
    const queue = queueOf(account, host);
    queue.line.remove(place);
    if (queue.line.first() === null) {
      if (queue.place) account.inTurn.remove(queue.place);
      account.queues.delete(host);
    }
    const left = (counts.get(accountId) ?? 1) - 1;
    if (left > 0) counts.set(accountId, left);
    else counts.delete(accountId);
    return true;
  }

  return {
    add(one) {
      const account = accountOf(one);
      places.set(one, queueOf(account, one.host).line.push(one));
      counts.set(one.accountId, (counts.get(one.accountId) ?? 0) + 1);
      settle(one.accountId, account);
      return () => {
        if (leave(one)) settle(one.accountId, account);
      };
    },

    next(hostHasRoom) {
      for (let at = ready.first(); at !== null; at = at.behind) {
        for (let queue = at.value.inTurn.first(); queue !== null; queue = queue.behind) {
          const one = queue.value.line.first()?.value;
          if (one && (one.host === undefined || hostHasRoom(one.host))) return one;
        }
      }
      return undefined;
    },

    begin(one) {
      leave(one);
      const account = accountOf(one);
      account.underWay++;
      const queue = account.queues.get(one.host);
      if (queue?.place) {
        account.inTurn.remove(queue.place);
        queue.place = account.inTurn.push(queue);
      }
      if (account.place !== null) {
        ready.remove(account.place);
        account.place = null;
      }
      settle(one.accountId, account);
    },

    end(one) {
      const account = accountOf(one);
      account.underWay--;
      settle(one.accountId, account);
    },

    waiting: (accountId) => counts.get(accountId) ?? 0,
    size: () => places.size,
    all: () => [...places.keys()],
  };
}
