import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { createWorker, type Worker } from '../../scheduling/worker.ts';
import type { BlockRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import type { ChainSource } from '../chain-source.ts';
import { createBlockFollower } from './block-follower.ts';
import { ChainMoved } from './blocks-ahead.ts';
import type { ChainSink } from './chain-sink.ts';
import { createMempoolFollower } from './mempool-follower.ts';
import { createOwnSends, type OwnSends } from './own-sends.ts';
import { createPauseQueue } from './pause-queue.ts';
import { createWatching } from './watching.ts';

const MOVED_MS = 50;
const OBSERVE_EVERY_MS = 2_000;
const GRACE_MS = 5_000;

interface FollowerStatus {
  /** Whether this process is the one that follows. */
  readonly active: boolean;
  /** The last block whose effects are in the database; null before the first. */
  readonly height: number | null;
  /** Blocks from there to the source's tip; null before either is known. */
  readonly lag: number | null;
  /** Why spending is halted, or null. */
  readonly halted: string | null;
  /** Why it makes no headway at the moment (the source does not answer, …), or null. */
  readonly problem: string | null;
  /** Memory of what is watched, in bytes. */
  readonly watchingBytes: number;
}

interface OwnMissing {
  readonly accountId: AccountId;
  readonly txid: Txid;
}

export interface Follower extends Pick<Worker, 'name' | 'start' | 'stop' | 'counts'> {
  /** They run for as long as this process is the one that follows. */
  brings(...beside: readonly Pick<Worker, 'start' | 'stop'>[]): void;
  status(): FollowerStatus;
  /** Runs `work` while the follower stands still. Don't wait for the follower in it. */
  pause<T>(work: () => Promise<T>): Promise<T>;
  /** After the tip changed and its effects are committed. */
  onTip(listener: (tip: BlockRecord) => void): () => void;
  /** Own unconfirmed payments that the mempool lacks, as often as it is found so. */
  onOwnMissing(listener: (missing: readonly OwnMissing[]) => void): () => void;
  /** Looks at the whole mempool again (other scripts are watched now). Resolves when that is done; at once where another process follows. */
  refreshMempool(): Promise<void>;
  /** Look now instead of at the next poll. */
  wake(): void;
  /** Where payments of this process are announced, so that they are not looked at a second time. */
  readonly ownSends: OwnSends;
}

/**
 * Follows the chain and the mempool of one source into the sink. One process at a time does; the others watch the database. The tip
 * in the database is the cursor: whatever happens, the next step begins from there.
 */
export function createFollower(deps: {
  chain: ChainSource;
  store: Pick<Store, 'kind' | 'read' | 'exclusively'>;
  sink: ChainSink;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  pollMs: number;
  graceMs?: number;
}): Follower {
  const { chain, store, sink, clock, log, pollMs } = deps;
  const { ledger } = store.read;
  const waiting = createPauseQueue();
  const tipListeners = new Set<(tip: BlockRecord) => void>();
  const missingListeners = new Set<(missing: readonly OwnMissing[]) => void>();
  let refreshing: { resolve: () => void }[] = [];
  const watching = createWatching(store.kind, deps.randomBytes);
  const ownSends = createOwnSends();
  const mempool = createMempoolFollower({
    chain,
    sink,
    ledger,
    watching,
    ownSends,
    clock,
    randomBytes: deps.randomBytes,
    graceMs: deps.graceMs ?? GRACE_MS,
    onOwnMissing(missing) {
      for (const listener of missingListeners) listener(missing);
    },
  });

  const blocks = createBlockFollower({
    chain,
    sink,
    ledger,
    watching,
    clock,
    log,
    atRest: waiting.serve,
    onApplied: mempool.learn,
    onTip(tip) {
      mempool.reconcileNext();
      for (const listener of tipListeners) listener(tip);
    },
  });

  let beside: readonly Pick<Worker, 'start' | 'stop'>[] = [];
  let active = false;
  let atTip = false;
  let moved = false;
  let sourceHeight: number | null = null;
  let polledAt = 0;
  let pollNow = true;

  async function step(signal: AbortSignal): Promise<void> {
    await waiting.serve();
    const poll = pollNow || clock() - polledAt >= pollMs;
    if (!poll) {
      if (atTip) await mempool.takeNotified();
      return;
    }
    pollNow = false;
    atTip = false;
    const info = await chain.info();
    sourceHeight = info.height;
    atTip = await blocks.follow(info, signal);
    polledAt = clock();
    const tip = blocks.tip();
    if (!atTip || !tip) return;
    const refreshed = refreshing;
    refreshing = [];
    if (refreshed.length > 0) mempool.forget();
    try {
      await mempool.takeNotified();
      await mempool.sync(tip.hash);
    } catch (error) {
      refreshing.push(...refreshed);
      throw error;
    }
    for (const { resolve } of refreshed) resolve();
  }

  async function round(signal: AbortSignal): Promise<void> {
    moved = false;
    try {
      await step(signal);
    } catch (error) {
      pollNow = true;
      moved = error instanceof ChainMoved;
      if (moved) return;
      // The database is the cursor; a step that failed in between may have moved it.
      await blocks.recall().catch(() => {});
      throw error;
    }
  }

  async function follow(signal: AbortSignal, rounds: (signal: AbortSignal) => Promise<void>): Promise<void> {
    active = true;
    try {
      await waiting.serve();
      await blocks.recall();
      blocks.forgetWatched();
      mempool.forget();
      pollNow = true;
      for (const worker of beside) worker.start();
      await rounds(signal);
    } finally {
      await Promise.all(beside.map((worker) => worker.stop()));
      active = false;
    }
  }

  const worker = createWorker({
    ...{ name: 'follower', log, clock, round, staysAlone: true },
    failed: 'following the chain failed; trying again',
    recovered: 'the chain is followed again',
    intervalMs: () => (moved ? MOVED_MS : Math.max(1, pollMs - (clock() - polledAt))),
    alone: (signal, rounds) => store.exclusively('follower', signal, (held) => follow(held, rounds)),
    wokenBy: (wake) =>
      chain.onNotification((notification) => {
        if (notification.type === 'transaction' && notification.raw) mempool.notify(notification.raw);
        else pollNow = true;
        wake();
      }),
  });

  /** While another process follows: what it has done, for this one's readiness and payments. */
  const observer = createWorker({
    ...{ name: 'observer', log, clock, intervalMs: OBSERVE_EVERY_MS },
    failed: 'what is followed elsewhere could not be read',
    recovered: 'what is followed elsewhere is read again',
    async round() {
      if (active) return;
      try {
        await blocks.recall(() => !active);
        sourceHeight = (await chain.info()).height;
      } catch {
        // Said by whoever follows.
      }
      await waiting.serve();
      for (const { resolve } of refreshing.splice(0)) resolve();
    },
  });

  return {
    name: worker.name,
    counts: worker.counts,
    ownSends,
    brings(...others) {
      beside = [...beside, ...others];
    },
    start() {
      worker.start();
      observer.start();
    },
    async stop() {
      await Promise.all([worker.stop(), observer.stop()]);
      waiting.refuse(new DomainError('unavailable', 'the service is stopping'));
      for (const { resolve } of refreshing.splice(0)) resolve();
    },
    status() {
      const tip = blocks.tip();
      return {
        active,
        height: tip?.height ?? null,
        lag: tip && sourceHeight !== null ? Math.max(0, sourceHeight - tip.height) : null,
        halted: blocks.halted(),
        problem: worker.problem(),
        watchingBytes: watching.matcher.byteLength,
      };
    },
    pause(work) {
      const done = waiting.add(work);
      if (active) worker.wake();
      else void waiting.serve();
      return done;
    },
    onTip(listener) {
      tipListeners.add(listener);
      return () => tipListeners.delete(listener);
    },
    onOwnMissing(listener) {
      missingListeners.add(listener);
      return () => missingListeners.delete(listener);
    },
    refreshMempool() {
      if (!active) return Promise.resolve();
      return new Promise((resolve) => {
        refreshing.push({ resolve });
        pollNow = true;
        worker.wake();
      });
    },
    wake() {
      pollNow = true;
      worker.wake();
    },
  };
}
