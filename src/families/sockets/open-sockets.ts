/** How many WebSockets are open at once in this process: each holds a file descriptor and memory, and is checked again every few seconds. */
import { addressClass } from '../../core/users/address-class.ts';
import type { Caller } from '../../services/requests/request-context.ts';

export interface SocketBounds {
  readonly ofCredential: number;
  readonly ofAccount: number;
  /** Not authenticated yet: of one IPv4 network of 24 bits, or IPv6 network of 64 bits. */
  readonly waitingOfNetwork: number;
  readonly waiting: number;
}

export const SOCKET_BOUNDS: SocketBounds = {
  ofCredential: 100,
  ofAccount: 1_000,
  waitingOfNetwork: 100,
  waiting: 1_000,
};

interface OpenSocket {
  /** Counts it for the caller from now on; answers why it is not, where there are too many: then it is nobody's. */
  authenticated(caller: Caller): string | null;
  closed(): void;
}

export interface OpenSockets {
  /**
   * Counts a socket that nobody has authenticated yet. Where there are too many of them, the one that waited longest is dropped: who comes
   * to authenticate does so at once, so that a stranger's idle sockets keep nobody out.
   */
  open(remoteAddress: string, drop: () => void): OpenSocket;
}

export function createOpenSockets(bounds: SocketBounds): OpenSockets {
  const waiting = new Set<{ network: string; drop: () => void }>();
  const counts = new Map<string, number>();

  function count(keys: readonly string[], by: 1 | -1): void {
    for (const key of keys) {
      const now = (counts.get(key) ?? 0) + by;
      if (now > 0) counts.set(key, now);
      else counts.delete(key);
    }
  }

  function makeRoom(network: string): void {
    const near = [...waiting].filter((one) => one.network === network);
    const longest = near.length >= bounds.waitingOfNetwork ? near[0] : undefined;
    const dropped = longest ?? (waiting.size >= bounds.waiting ? waiting.values().next().value : undefined);
    if (dropped === undefined) return;
    waiting.delete(dropped);
    dropped.drop();
  }

  return {
    open(remoteAddress, drop) {
      const self = { network: addressClass(remoteAddress), drop };
      makeRoom(self.network);
      waiting.add(self);
      let keys: string[] = [];
      const leave = (): void => {
        count(keys, -1);
        keys = [];
      };
      return {
        authenticated({ accountId, credential }) {
          // Counted anew: it may be another credential than before.
          leave();
          const [one, account] = [`${credential.kind} ${credential.id}`, `account ${accountId}`];
          if ((counts.get(one) ?? 0) >= bounds.ofCredential)
            return `this credential has ${bounds.ofCredential} connections open already`;
          if ((counts.get(account) ?? 0) >= bounds.ofAccount)
            return `this account has ${bounds.ofAccount} connections open already`;
          keys = [one, account];
          count(keys, 1);
          waiting.delete(self);
          return null;
        },
        closed() {
          leave();
          waiting.delete(self);
        },
      };
    },
  };
}
