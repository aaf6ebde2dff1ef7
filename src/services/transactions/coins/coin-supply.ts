/**
 * Readings of a wallet's spendable coins, shared: payments that ask in the same turn, or while a reading is under way, read a large
 * wallet once together, and for a moment after that none reads it again. A reading may therefore lack what came since; whoever finds
 * too little in it asks for a fresh one, and the commit refuses a coin that is no longer free.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { CoinRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { type CandidateModel, toCandidate } from './candidates.ts';
import type { CoinLeases, ReadMark } from './coin-leases.ts';

/** How long a reading serves payments that come after it. */
const KEEP_MS = 200;

export interface CoinReading {
  /** Begun after it was asked for. */
  readonly fresh: boolean;
  /** Unspent, unlocked, unfrozen coins that are not leased at this moment, as selection sees them with the chain at `tipHeight`. */
  candidates(model: CandidateModel, tipHeight: number): CandidateCoin[];
  isTaken(outpoint: string): boolean;
  /** Another payment of the wallet has ended since the reading began. */
  isOutdated(): boolean;
  close(): void;
}

export interface CoinSupply {
  open(accountId: string, walletId: string, options: { fresh: boolean }): Promise<CoinReading>;
  /** What was read is known to be wrong: the next one reads anew. */
  forget(walletId: string): void;
}

interface Loaded {
  readonly coins: readonly CoinRecord[];
  readonly keys: readonly string[];
  readonly mark: ReadMark;
  /** Made once for all who share the reading. */
  candidates: { readonly tipHeight: number; readonly all: readonly CandidateCoin[] } | null;
}

interface SharedReading {
  /** Counted when asked, not when answered: the first to finish must not close what others are about to use. */
  users: number;
  readonly loaded: Promise<Loaded>;
}

export function createCoinSupply(deps: {
  coins: Pick<Repositories['coins'], 'spendable'>;
  leases: CoinLeases;
}): CoinSupply {
  const running = new Map<string, SharedReading>();
  const queued = new Map<string, SharedReading>();
  const kept = new Map<string, { reading: SharedReading; timer: NodeJS.Timeout }>();

  async function load(accountId: string, walletId: string): Promise<Loaded> {
    const mark = deps.leases.mark();
    try {
      const coins = await deps.coins.spendable(accountId, walletId);
      return { coins, keys: coins.map(outpointKey), mark, candidates: null };
    } catch (error) {
      mark.close();
      throw error;
    }
  }

  /** Loads once `before` has ended, whichever way, and whoever asks in this turn of the event loop has asked. */
  function start(accountId: string, walletId: string, before: Promise<unknown> | null): SharedReading {
    const begin = () => {
      queued.delete(walletId);
      running.set(walletId, reading);
      return load(accountId, walletId);
    };
    const reading: SharedReading = { users: 0, loaded: (before ?? nextTurn()).then(begin, begin) };
    const ended = () => {
      if (running.get(walletId) === reading) running.delete(walletId);
    };
    reading.loaded.then(() => {
      ended();
      keep(walletId, reading);
    }, ended);
    return reading;
  }

  function keep(walletId: string, reading: SharedReading): void {
    forget(walletId);
    reading.users += 1;
    kept.set(walletId, { reading, timer: setTimeout(() => forget(walletId), KEEP_MS).unref() });
  }

  function forget(walletId: string): void {
    const last = kept.get(walletId);
    if (!last) return;
    clearTimeout(last.timer);
    kept.delete(walletId);
    void leave(last.reading);
  }

  async function leave(reading: SharedReading): Promise<void> {
    reading.users -= 1;
    if (reading.users === 0) (await reading.loaded).mark.close();
  }

  function join(accountId: string, walletId: string): SharedReading {
    const waiting = queued.get(walletId);
    if (waiting) return waiting;
    const next = start(accountId, walletId, running.get(walletId)?.loaded ?? null);
    queued.set(walletId, next);
    return next;
  }

  return {
    forget,
    async open(accountId, walletId, { fresh }) {
      const last = fresh ? undefined : kept.get(walletId)?.reading;
      const shared = last ?? join(accountId, walletId);
      shared.users += 1;
      const loaded = await shared.loaded;
      const { coins, keys, mark } = loaded;
      let open = true;
      return {
        fresh: last === undefined,
        candidates(model, tipHeight) {
          if (loaded.candidates?.tipHeight !== tipHeight) {
            loaded.candidates = { tipHeight, all: coins.map((coin) => toCandidate(coin, model, tipHeight)) };
          }
          return loaded.candidates.all.filter((_, index) => !mark.isTaken(keys[index]!));
        },
        isTaken: (outpoint) => mark.isTaken(outpoint),
        isOutdated: () => mark.isOutdated(walletId),
        close() {
          if (!open) return;
          open = false;
          void leave(shared);
        },
      };
    },
  };
}
