import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { BlockRecord } from '../../store/records.ts';
import type { LedgerRepository, Store } from '../../store/store.ts';
import type { ChainInfo, ChainNudge, ChainSource } from '../chain-source.ts';
import { blocksAhead, ChainMoved } from './blocks-ahead.ts';
import type { ChainSink } from './chain-sink.ts';
import { findForkPoint } from './fork-point.ts';
import { createMempoolFollower } from './mempool-follower.ts';
import { baseBlocks } from './start.ts';
import { createWaitingWork } from './waiting-work.ts';
import { createWaker } from './waker.ts';
import { createWatching } from './watching.ts';

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
const OBSERVE_EVERY_MS = 2_000;
/** What is watched is loaded anew this often: a backstop, and spent coins drop out. */
const RELOAD_EVERY_MS = 3_600_000;
/** Matching goes on at most this long before others get their turn on the event loop. */
const TURN_MS = 10;
const GRACE_MS = 5_000;

export interface FollowerStatus {
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

export interface OwnMissing {
  readonly accountId: string;
  readonly txid: Txid;
}

export interface Follower {
  start(): void;
  stop(): Promise<void>;
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
  nudge(): void;
}

/**
 * Follows the chain and the mempool of one source into the sink. One process at a time does; the others watch the database. The tip
 * in the database is the cursor: whatever happens, the next step begins from there.
 */
export function createFollower(deps: {
  chain: ChainSource;
  store: Pick<Store, 'read' | 'exclusively'>;
  sink: ChainSink;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  pollMs: number;
  graceMs?: number;
}): Follower {
  const { chain, store, sink, clock, log, pollMs } = deps;
  const { ledger } = store.read;
  const stopping = new AbortController();
  const waker = createWaker();
  const waiting = createWaitingWork();
  const tipListeners = new Set<(tip: BlockRecord) => void>();
  const missingListeners = new Set<(missing: readonly OwnMissing[]) => void>();
  let refreshing: { resolve: () => void }[] = [];
  const watching = createWatching(deps.randomBytes);
  const mempool = createMempoolFollower({
    chain,
    sink,
    ledger,
    watching,
    clock,
    randomBytes: deps.randomBytes,
    graceMs: deps.graceMs ?? GRACE_MS,
    onOwnMissing(missing) {
      for (const listener of missingListeners) listener(missing);
    },
  });

  let running: Promise<void> | null = null;
  let active = false;
  /** Aborts when this process is no longer to follow. */
  let turn = AbortSignal.abort();
  let atTip = false;
  let tip: BlockRecord | null = null;
  let sourceHeight: number | null = null;
  let halted: string | null = null;
  let problem: string | null = null;
  let reloadedAt = 0;
  let polledAt = 0;
  let nudgedForPoll = true;
  let stopNudges = (): void => {};

  function onNudge(nudge: ChainNudge): void {
    if (nudge.type === 'transaction' && nudge.raw) mempool.nudge(nudge.raw);
    else nudgedForPoll = true;
    waker.wake();
  }

  async function halt(reason: string): Promise<void> {
    await sink.setHalt(reason);
    if (halted !== reason) log.error({ reason }, 'spending is halted');
    halted = reason;
  }

  async function goOn(): Promise<void> {
    if (halted === null) return;
    await sink.setHalt(null);
    log.warn({ was: halted }, 'the chain is followed again: spending goes on');
    halted = null;
  }

  async function reloadWatched(): Promise<void> {
    await watching.reload(ledger);
    reloadedAt = clock();
  }

  /** Takes blocks back until the tip is in the source's chain. False where no such block is known. */
  async function rewind(from: BlockRecord): Promise<boolean> {
    const fork = await findForkPoint(chain, ledger, from);
    if (!fork) {
      await halt(
        `the source's chain has no block in common with those followed here, up to height ${from.height}: ` +
          'a reorg deeper than can be walked back',
      );
      return false;
    }
    if (fork.hash === from.hash) return true;
    log.warn({ from: from.height, to: fork.height, hash: from.hash }, 'the chain turned back');
    const gone = (await ledger.blocksFrom(fork.height + 1, from.height - fork.height)).reverse();
    for (const block of gone) {
      if (turn.aborted) return false;
      await sink.disconnectBlock(block.height, block.hash);
      tip = await ledger.tip();
    }
    // What those blocks spent is to be watched again.
    await reloadWatched();
    mempool.reconcileNext();
    return true;
  }

  async function advance(info: ChainInfo, from: BlockRecord): Promise<void> {
    const ahead = blocksAhead(chain, from.height + 1, info.height);
    for await (const batch of ahead) {
      await waiting.serve();
      if (turn.aborted) return;
      if (batch[0]!.prevHash !== tip?.hash) throw new ChainMoved();
      await watching.refresh(ledger);
      const matched = [];
      let since = performance.now();
      for (const block of batch) {
        matched.push(watching.matcher.match(block));
        if (performance.now() - since < TURN_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
      let came = false;
      const applied = await sink.connectBlocks(matched, async (within: LedgerRepository) => {
        // The job may run again: what came the first time has still not been looked for.
        came = (await watching.refreshWithin(within)) || came;
        return came;
      });
      watching.add(applied);
      if (applied.scripts.length > 0) mempool.lookAgain();
      const { height, hash, prevHash, time, medianTime } = batch.at(-1)!;
      tip = { height, hash, prevHash, time, medianTime };
    }
  }

  /** Brings the database to the source's tip. False where it can't get there now. */
  async function followBlocks(info: ChainInfo): Promise<boolean> {
    if (!tip) {
      // Where a new node starts, its tip is no place to begin.
      if (info.syncing) return false;
      await sink.begin(await baseBlocks(chain, info));
      tip = await ledger.tip();
    }
    if (!tip) return false;
    const before = tip.hash;
    if (info.bestBlockHash !== tip.hash) {
      // A node that syncs anew passes our blocks on its way: it has not turned back.
      if (info.syncing && info.height < tip.height) return false;
      try {
        if (!(await rewind(tip))) return false;
        await advance(info, tip);
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'unavailable')) throw error;
        await halt(`blocks that are needed to go on are not to be had: ${error.message}`);
        return false;
      }
    }
    await goOn();
    if (tip.hash !== before) {
      mempool.reconcileNext();
      for (const listener of tipListeners) listener(tip);
    }
    return tip.hash === info.bestBlockHash;
  }

  async function step(): Promise<void> {
    await waiting.serve();
    const poll = nudgedForPoll || clock() - polledAt >= pollMs;
    if (!poll) {
      if (atTip) await mempool.takeNudges();
      return;
    }
    nudgedForPoll = false;
    atTip = false;
    const info = await chain.info();
    sourceHeight = info.height;
    if (clock() - reloadedAt >= RELOAD_EVERY_MS) await reloadWatched();
    atTip = await followBlocks(info);
    polledAt = clock();
    if (!atTip || !tip) return;
    const refreshed = refreshing;
    refreshing = [];
    if (refreshed.length > 0) mempool.forget();
    try {
      await mempool.takeNudges();
      await mempool.sync(tip.hash);
    } catch (error) {
      refreshing.push(...refreshed);
      throw error;
    }
    for (const { resolve } of refreshed) resolve();
  }

  async function follow(signal: AbortSignal): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    active = true;
    turn = signal;
    try {
      await waiting.serve();
      tip = await ledger.tip();
      halted = await sink.halted();
      await reloadWatched();
      mempool.forget();
      nudgedForPoll = true;
      while (!signal.aborted) {
        try {
          await step();
          if (problem !== null) log.info('the chain source answers again');
          problem = null;
          retryMs = FIRST_RETRY_MS;
          await waker.wait(Math.max(1, pollMs - (clock() - polledAt)), signal);
        } catch (error) {
          nudgedForPoll = true;
          if (error instanceof ChainMoved) {
            await waker.wait(50, signal);
            continue;
          }
          noteProblem(error);
          // The database is the cursor; a step that failed in between may have moved it.
          tip = await ledger.tip().catch(() => tip);
          await waker.pauseFor(retryMs, signal);
          await waiting.serve();
          retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
        }
      }
    } finally {
      active = false;
    }
  }

  function noteProblem(error: unknown): void {
    const said = error instanceof Error ? error.message : String(error);
    if (said === problem) return;
    problem = said;
    if (error instanceof DomainError) log.warn({ reason: said }, 'the chain source does not answer; trying again');
    else log.error({ err: error }, 'following the chain failed; trying again');
  }

  /** While another process follows: what it has done, for this one's readiness and payments. */
  async function observe(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!active) {
        try {
          tip = await ledger.tip();
          halted = await sink.halted();
          sourceHeight = (await chain.info()).height;
        } catch {
          // Said by whoever follows.
        }
        await waiting.serve();
        for (const { resolve } of refreshing.splice(0)) resolve();
      }
      await waker.pauseFor(OBSERVE_EVERY_MS, signal);
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    const observing = observe(signal);
    while (!signal.aborted) {
      try {
        await store.exclusively('follower', signal, follow);
      } catch (error) {
        if (signal.aborted) break;
        noteProblem(error);
        await waker.pauseFor(LONGEST_RETRY_MS, signal);
      }
    }
    await observing;
  }

  return {
    start() {
      if (running !== null) return;
      stopNudges = chain.onNudge(onNudge);
      running = run(stopping.signal);
    },
    async stop() {
      stopNudges();
      stopping.abort();
      await running;
      waiting.refuse(new DomainError('unavailable', 'the service is stopping'));
      for (const { resolve } of refreshing.splice(0)) resolve();
    },
    status: () => ({
      active,
      height: tip?.height ?? null,
      lag: tip && sourceHeight !== null ? Math.max(0, sourceHeight - tip.height) : null,
      halted,
      problem,
      watchingBytes: watching.matcher.byteLength,
    }),
    pause(work) {
      const done = waiting.add(work);
      if (active) waker.wake();
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
        nudgedForPoll = true;
        waker.wake();
      });
    },
    nudge() {
      nudgedForPoll = true;
      waker.wake();
    },
  };
}
