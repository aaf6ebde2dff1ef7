/**
 * Readings of a wallet's spendable coins, shared: payments that ask while a reading is under way wait for the next one together, so
 * that a burst reads a large wallet twice and not once each. Every reading begins after all who share it asked, so none misses a coin
 * that was committed before.
 */
import { outpointKey } from '../../core/outpoint.ts';
import type { CoinRecord } from '../../store/records.ts';
import type { CoinRepository } from '../../store/store.ts';
import type { CoinLeases, ReadMark } from './coin-leases.ts';

export interface CoinReading {
  /** Unspent, unlocked, unfrozen coins that are not leased at this moment. */
  free(): CoinRecord[];
  isTaken(outpoint: string): boolean;
  /** Another payment of the wallet has ended since the reading began. */
  isOutdated(): boolean;
  close(): void;
}

export interface CoinSupply {
  open(accountId: string, walletId: string): Promise<CoinReading>;
}

interface SharedReading {
  /** Counted when asked, not when answered: the first to finish must not close what others are about to use. */
  users: number;
  readonly loaded: Promise<{ coins: readonly CoinRecord[]; mark: ReadMark }>;
}

export function createCoinSupply(deps: { coins: Pick<CoinRepository, 'spendable'>; leases: CoinLeases }): CoinSupply {
  const running = new Map<string, SharedReading>();
  const queued = new Map<string, SharedReading>();

  async function load(accountId: string, walletId: string) {
    const mark = deps.leases.mark();
    try {
      return { coins: await deps.coins.spendable(accountId, walletId), mark };
    } catch (error) {
      mark.close();
      throw error;
    }
  }

  /** Loads once `before` has ended, whichever way. */
  function start(accountId: string, walletId: string, before: Promise<unknown> | null): SharedReading {
    const begin = () => {
      queued.delete(walletId);
      running.set(walletId, reading);
      return load(accountId, walletId);
    };
    const reading: SharedReading = {
      users: 0,
      loaded: (before ?? Promise.resolve()).then(begin, begin),
    };
    const ended = () => {
      if (running.get(walletId) === reading) running.delete(walletId);
    };
    reading.loaded.then(ended, ended);
    return reading;
  }

  function join(accountId: string, walletId: string): SharedReading {
    const waiting = queued.get(walletId);
    if (waiting) return waiting;
    const next = start(accountId, walletId, running.get(walletId)?.loaded ?? null);
    queued.set(walletId, next);
    return next;
  }

  return {
    async open(accountId, walletId) {
      const shared = join(accountId, walletId);
      shared.users += 1;
      const { coins, mark } = await shared.loaded;
      let open = true;
      return {
        free: () => coins.filter((coin) => !mark.isTaken(outpointKey(coin))),
        isTaken: (outpoint) => mark.isTaken(outpoint),
        isOutdated: () => mark.isOutdated(walletId),
        close() {
          if (!open) return;
          open = false;
          shared.users -= 1;
          if (shared.users === 0) mark.close();
        },
      };
    },
  };
}
