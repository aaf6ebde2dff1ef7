/**
 * Snapshots of a wallet's spendable UTXOs, shared: payments that ask in the same turn, or while one is being read, read them once
 * together, and for a moment after that none reads them again. A snapshot may therefore lack what came since; whoever finds too little in it
 * asks for a fresh one, and the commit refuses a coin that is no longer free. Of a large wallet it has a part (docs/decisions/0460): a pool
 * for searches, or, for what that is too little for, the largest coins, as many as fit into a transaction.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { createRandomSource } from '../../../core/coin-selection/random-source.ts';
import type { AccountId } from '../../../core/ids.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { Near } from '../../../core/payments/coins-wanted.ts';
import type { CoinRecord, WalletId } from '../../../store/records.ts';
import type { Spendable } from '../../../store/repositories/coin-pools.ts';
import type { Repositories } from '../../../store/store.ts';
import { type CandidateModel, toCandidate } from './candidates.ts';
import type { CoinLeases, ReadMark } from './coin-leases.ts';
import { ownTurn } from './own-turn.ts';

/** How long a snapshot serves payments that come after it. */
const KEEP_MS = 200;

/** Places between the oldest and the newest coin. */
const PLACES = 2 ** 31;
/** Wallets of more coins than `readWhole` are not read whole; the pool for searches then has these, and those that share their scripts. */
const SIZES = { readWhole: 500, largest: 60, largestUnconfirmed: 50, places: 200 };
/** Coins of 200 unconfirmed transactions are looked at (candidates.ts), which may have several each. */
const MOST_UNCONFIRMED = 1_000;

export interface CoinsAsked {
  readonly spendable: Spendable;
  /** null: the pool for searches. */
  readonly largest: number | null;
  /** Amounts that the pool is to have coins next to. */
  readonly near?: readonly Near[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UtxoSnapshot {
  /** Begun after it was asked for. */
  readonly fresh: boolean;
  /** These are all the wallet has. */
  readonly whole: boolean;
  /** Unspent, unlocked, unfrozen coins that are not leased at this moment, as selection sees them with the chain at `tipHeight`. */
  candidates(model: CandidateModel, tipHeight: number): CandidateCoin[];
  /** Those that are leased, too. */
  all(model: CandidateModel, tipHeight: number): readonly CandidateCoin[];
  isTaken(outpoint: string): boolean;
  /** So many of them are leased, or have been since reading began. */
  takenCount(): number;
  /** Another payment of the wallet has ended since reading it began. */
  isOutdated(): boolean;
  close(): void;
}

export interface UtxoSnapshots {
  open(accountId: AccountId, walletId: WalletId, asked: CoinsAsked, options: { fresh: boolean }): Promise<UtxoSnapshot>;
  /** What was read is known to be wrong: the next one reads anew. */
  forget(walletId: WalletId): void;
}

interface Loaded {
  readonly coins: readonly CoinRecord[];
  readonly keys: readonly string[];
  readonly whole: boolean;
  readonly mark: ReadMark;
  /** Made once for all who share the snapshot. */
  candidates: { readonly tipHeight: number; readonly all: readonly CandidateCoin[] } | null;
}

interface SharedSnapshot {
  readonly walletId: WalletId;
  /** Counted when asked, not when answered: the first to finish must not close what others are about to use. */
  users: number;
  readonly loaded: Promise<Loaded>;
}

export function createUtxoSnapshots(deps: {
  coins: Pick<Repositories['coins'], 'few' | 'pool' | 'near'>;
  leases: CoinLeases;
  randomBytes: (size: number) => Uint8Array;
  /** Smaller ones for tests. */
  sizes?: typeof SIZES;
}): UtxoSnapshots {
  const { readWhole, ...pool } = deps.sizes ?? SIZES;
  const running = new Map<string, SharedSnapshot>();
  const queued = new Map<string, SharedSnapshot>();
  const kept = new Map<string, { snapshot: SharedSnapshot; timer: NodeJS.Timeout }>();

  async function read(accountId: AccountId, walletId: WalletId, { spendable, largest }: CoinsAsked) {
    const few = await deps.coins.few(accountId, walletId, readWhole);
    if (few.length > 0) return { whole: true, coins: few };
    if (largest !== null) {
      const request = { ...spendable, largest, largestUnconfirmed: MOST_UNCONFIRMED, places: [] };
      return { whole: false, coins: await deps.coins.pool(accountId, walletId, request, { partly: true }) };
    }
    const random = createRandomSource(deps.randomBytes);
    const places = Array.from({ length: pool.places }, () => random.below(PLACES) / PLACES);
    const request = { ...spendable, ...pool, places };
    return { whole: false, coins: await deps.coins.pool(accountId, walletId, request, { partly: false }) };
  }

  async function load(accountId: AccountId, walletId: WalletId, asked: CoinsAsked): Promise<Loaded> {
    const mark = deps.leases.mark();
    try {
      const { coins, whole } = await read(accountId, walletId, asked);
      return { coins, whole, keys: coins.map(outpointKey), mark, candidates: null };
    } catch (error) {
      mark.close();
      throw error;
    }
  }

  /** Loads once `before` has ended, whichever way, and whoever asks in this turn of the event loop has asked. */
  function start(key: string, accountId: AccountId, walletId: WalletId, asked: CoinsAsked): SharedSnapshot {
    const before = running.get(key)?.loaded ?? nextTurn();
    const begin = () => {
      queued.delete(key);
      running.set(key, snapshot);
      return load(accountId, walletId, asked);
    };
    const snapshot: SharedSnapshot = { users: 0, walletId, loaded: before.then(begin, begin) };
    const ended = () => {
      if (running.get(key) === snapshot) running.delete(key);
    };
    snapshot.loaded.then(() => {
      ended();
      keep(key, snapshot);
    }, ended);
    return snapshot;
  }

  function keep(key: string, snapshot: SharedSnapshot): void {
    drop(key);
    snapshot.users += 1;
    kept.set(key, { snapshot, timer: setTimeout(() => drop(key), KEEP_MS).unref() });
  }

  function drop(key: string): void {
    const last = kept.get(key);
    if (!last) return;
    clearTimeout(last.timer);
    kept.delete(key);
    void leave(last.snapshot);
  }

  async function leave(snapshot: SharedSnapshot): Promise<void> {
    snapshot.users -= 1;
    if (snapshot.users === 0) (await snapshot.loaded).mark.close();
  }

  function join(key: string, accountId: AccountId, walletId: WalletId, asked: CoinsAsked): SharedSnapshot {
    const waiting = queued.get(key);
    if (waiting) return waiting;
    const next = start(key, accountId, walletId, asked);
    queued.set(key, next);
    return next;
  }

  /** Of a part of the wallet: what one payment wants besides, which nobody shares. */
  async function nearby(
    accountId: AccountId,
    walletId: WalletId,
    { spendable, largest, near = [], signal }: CoinsAsked,
    { whole, keys }: Loaded,
  ): Promise<CoinRecord[]> {
    if (whole || largest !== null || near.length === 0) return [];
    await ownTurn(accountId, signal);
    const known = new Set(keys);
    const found = await deps.coins.near(accountId, walletId, spendable, near);
    return found.filter((coin) => !known.has(outpointKey(coin)));
  }

  return {
    forget(walletId) {
      for (const [key, { snapshot }] of kept) if (snapshot.walletId === walletId) drop(key);
    },
    async open(accountId, walletId, asked, { fresh }) {
      const { deepest, mature, unconfirmed } = asked.spendable;
      const key = [walletId, deepest, mature, unconfirmed, asked.largest].join(' ');
      const last = fresh ? undefined : kept.get(key)?.snapshot;
      const shared = last ?? join(key, accountId, walletId, asked);
      shared.users += 1;
      const loaded = await shared.loaded;
      const { keys, mark } = loaded;
      let open = true;
      const leaveOnce = (): void => {
        if (!open) return;
        open = false;
        void leave(shared);
      };
      const others = await nearby(accountId, walletId, asked, loaded).catch((error: unknown) => {
        leaveOnce();
        throw error;
      });
      const allKeys = others.length === 0 ? keys : [...keys, ...others.map(outpointKey)];
      const all: UtxoSnapshot['all'] = (model, tipHeight) => {
        if (loaded.candidates?.tipHeight !== tipHeight) {
          loaded.candidates = { tipHeight, all: loaded.coins.map((coin) => toCandidate(coin, model, tipHeight)) };
        }
        if (others.length === 0) return loaded.candidates.all;
        return [...loaded.candidates.all, ...others.map((coin) => toCandidate(coin, model, tipHeight))];
      };
      return {
        ...{ fresh: last === undefined, whole: loaded.whole, all },
        candidates: (model, tipHeight) => all(model, tipHeight).filter((_, index) => !mark.isTaken(allKeys[index]!)),
        isTaken: (outpoint) => mark.isTaken(outpoint),
        takenCount: () => allKeys.filter((key) => mark.isTaken(key)).length,
        isOutdated: () => mark.isOutdated(walletId),
        close: leaveOnce,
      };
    },
  };
}
