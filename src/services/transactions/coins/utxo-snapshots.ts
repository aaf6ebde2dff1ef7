/**
 * Snapshots of a wallet's spendable UTXOs, shared: payments that ask in the same turn, or while one is being read, read a large wallet once
 * together, and for a moment after that none reads it again. A snapshot may therefore lack what came since; whoever finds too little in it
 * asks for a fresh one, and the commit refuses a coin that is no longer free.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { CoinRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { type CandidateModel, toCandidate } from './candidates.ts';
import type { CoinLeases, ReadMark } from './coin-leases.ts';

/** How long a snapshot serves payments that come after it. */
const KEEP_MS = 200;

export interface UtxoSnapshot {
  /** Begun after it was asked for. */
  readonly fresh: boolean;
  /** Unspent, unlocked, unfrozen coins that are not leased at this moment, as selection sees them with the chain at `tipHeight`. */
  candidates(model: CandidateModel, tipHeight: number): CandidateCoin[];
  isTaken(outpoint: string): boolean;
  /** Another payment of the wallet has ended since reading it began. */
  isOutdated(): boolean;
  close(): void;
}

export interface UtxoSnapshots {
  open(accountId: string, walletId: string, options: { fresh: boolean }): Promise<UtxoSnapshot>;
  /** What was read is known to be wrong: the next one reads anew. */
  forget(walletId: string): void;
}

interface Loaded {
  readonly coins: readonly CoinRecord[];
  readonly keys: readonly string[];
  readonly mark: ReadMark;
  /** Made once for all who share the snapshot. */
  candidates: { readonly tipHeight: number; readonly all: readonly CandidateCoin[] } | null;
}

interface SharedSnapshot {
  /** Counted when asked, not when answered: the first to finish must not close what others are about to use. */
  users: number;
  readonly loaded: Promise<Loaded>;
}

export function createUtxoSnapshots(deps: {
  coins: Pick<Repositories['coins'], 'spendable'>;
  leases: CoinLeases;
}): UtxoSnapshots {
  const running = new Map<string, SharedSnapshot>();
  const queued = new Map<string, SharedSnapshot>();
  const kept = new Map<string, { snapshot: SharedSnapshot; timer: NodeJS.Timeout }>();

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
  function start(accountId: string, walletId: string, before: Promise<unknown> | null): SharedSnapshot {
    const begin = () => {
      queued.delete(walletId);
      running.set(walletId, snapshot);
      return load(accountId, walletId);
    };
    const snapshot: SharedSnapshot = { users: 0, loaded: (before ?? nextTurn()).then(begin, begin) };
    const ended = () => {
      if (running.get(walletId) === snapshot) running.delete(walletId);
    };
    snapshot.loaded.then(() => {
      ended();
      keep(walletId, snapshot);
    }, ended);
    return snapshot;
  }

  function keep(walletId: string, snapshot: SharedSnapshot): void {
    forget(walletId);
    snapshot.users += 1;
    kept.set(walletId, { snapshot, timer: setTimeout(() => forget(walletId), KEEP_MS).unref() });
  }

  function forget(walletId: string): void {
    const last = kept.get(walletId);
    if (!last) return;
    clearTimeout(last.timer);
    kept.delete(walletId);
    void leave(last.snapshot);
  }

  async function leave(snapshot: SharedSnapshot): Promise<void> {
    snapshot.users -= 1;
    if (snapshot.users === 0) (await snapshot.loaded).mark.close();
  }

  function join(accountId: string, walletId: string): SharedSnapshot {
    const waiting = queued.get(walletId);
    if (waiting) return waiting;
    const next = start(accountId, walletId, running.get(walletId)?.loaded ?? null);
    queued.set(walletId, next);
    return next;
  }

  return {
    forget,
    async open(accountId, walletId, { fresh }) {
      const last = fresh ? undefined : kept.get(walletId)?.snapshot;
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
