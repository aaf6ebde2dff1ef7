import type { WalletId } from '../../../core/ids.ts';
/**
 * Coins taken in memory for payments being built, so that no two payments of this process choose the same. The database's conditional
 * claim at commit is the last word (and the only one between processes); leases only keep payments from colliding there.
 */
export interface Lease {
  /** After the commit that claimed the coins, or when the payment was not made. Twice does nothing. */
  release(): void;
}

/** Marks the moment before a snapshot was read. What was leased then, or since, may look free in it and is not. */
export interface ReadMark {
  isTaken(outpoint: string): boolean;
  /** A lease of the wallet has ended since: what was read may lack its change. */
  isOutdated(walletId: WalletId): boolean;
  /** No more questions about this snapshot. */
  close(): void;
}

export interface CoinLeases {
  mark(): ReadMark;
  /** Outpoints as "txid:vout". Synchronous, so that nothing comes between asking and taking. Throws RangeError on one that is leased. */
  lease(walletId: WalletId, outpoints: readonly string[]): Lease;
  /** Coins of the wallet are leased at this moment. */
  isBusy(walletId: WalletId): boolean;
  /** So many. */
  count(walletId: WalletId): number;
  /** Resolves at the wallet's next release (its change may be spendable then), at once where nothing is leased. */
  nextRelease(walletId: WalletId): Promise<void>;
}

const HELD = Number.POSITIVE_INFINITY;

export function createCoinLeases(): CoinLeases {
  /** Outpoint to the tick of its release; HELD while leased. Released ones stay while a snapshot that began before is in use. */
  const takenUntil = new Map<string, number>();
  const released: { outpoint: string; tick: number }[] = [];
  const openMarks = new Set<number>();
  const busy = new Map<string, { leases: number; coins: number }>();
  const lastRelease = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  let tick = 0;

  /** A released coin is remembered only for snapshots that began before its release. */
  function forget(): void {
    const [oldest = HELD] = openMarks;
    while (released[0] && released[0].tick <= oldest) {
      const { outpoint, tick: at } = released.shift()!;
      if (takenUntil.get(outpoint) === at) takenUntil.delete(outpoint);
    }
  }

  function count(walletId: WalletId, leases: number, coins: number): void {
    const now = busy.get(walletId) ?? { leases: 0, coins: 0 };
    if (now.leases + leases === 0) busy.delete(walletId);
    else busy.set(walletId, { leases: now.leases + leases, coins: now.coins + coins });
  }

  function settle(walletId: WalletId, coins: number): void {
    count(walletId, -1, -coins);
    const waiters = waiting.get(walletId);
    waiting.delete(walletId);
    for (const wake of waiters ?? []) wake();
  }

  return {
    mark() {
      const at = ++tick;
      openMarks.add(at);
      return {
        isTaken: (outpoint) => (takenUntil.get(outpoint) ?? 0) > at,
        isOutdated: (walletId) => (lastRelease.get(walletId) ?? 0) > at,
        close() {
          openMarks.delete(at);
          forget();
        },
      };
    },

    lease(walletId, outpoints) {
      const taken = outpoints.find((outpoint) => takenUntil.get(outpoint) === HELD);
      if (taken) throw new RangeError(`coin ${taken} is leased already`);
      for (const outpoint of outpoints) takenUntil.set(outpoint, HELD);
      count(walletId, 1, outpoints.length);
      let open = true;
      return {
        release() {
          if (!open) return;
          open = false;
          const at = ++tick;
          lastRelease.set(walletId, at);
          for (const outpoint of outpoints) {
            takenUntil.set(outpoint, at);
            released.push({ outpoint, tick: at });
          }
          forget();
          settle(walletId, outpoints.length);
        },
      };
    },

    isBusy: (walletId) => busy.has(walletId),
    count: (walletId) => busy.get(walletId)?.coins ?? 0,

    nextRelease(walletId) {
      if (!busy.has(walletId)) return Promise.resolve();
      return new Promise((resolve) => waiting.set(walletId, [...(waiting.get(walletId) ?? []), resolve]));
    },
  };
}
