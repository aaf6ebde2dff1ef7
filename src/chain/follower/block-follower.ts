import type { Logger } from 'pino';
import { isWithoutAnswer } from '../../core/errors.ts';
import type { BlockHash } from '../../core/outpoint.ts';
import type { BlockRecord } from '../../store/records.ts';
import type { LedgerRepository } from '../../store/store.ts';
import type { ChainInfo, ChainSource } from '../chain-source.ts';
import { blocksAhead, ChainMoved } from './blocks-ahead.ts';
import type { Applied, ChainSink, MatchedBlock } from './chain-sink.ts';
import { findForkPoint } from './fork-point.ts';
import { baseBlocks } from './start.ts';
import type { Watching } from './watching.ts';

/** What is watched is loaded anew this often: a backstop, and spent coins drop out. */
const RELOAD_EVERY_MS = 3_600_000;
/** Matching goes on at most this long before others get their turn on the event loop. */
const TURN_MS = 10;

/** The blocks' part of following: forward in batches, back over reorgs, halting where there is no way back. */
export function createBlockFollower(deps: {
  chain: ChainSource;
  sink: ChainSink;
  ledger: LedgerRepository;
  watching: Watching;
  clock: () => number;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Between batches: others do what they asked to do while nothing moves. */
  atRest: () => Promise<void>;
  /** After the tip changed, once its effects are committed. */
  onTip: (tip: BlockRecord) => void;
  /** What connecting blocks, or taking them back, brought to light. */
  onApplied: (applied: Applied) => void;
}) {
  const { chain, sink, ledger, watching, clock, log } = deps;
  let tip: BlockRecord | null = null;
  let announced: BlockHash | null = null;
  let halted: string | null = null;
  let watchedSince: number | null = null;

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

  async function loadWatched(): Promise<void> {
    if (watchedSince !== null && clock() - watchedSince < RELOAD_EVERY_MS) return;
    await watching.reload(ledger);
    watchedSince = clock();
  }

  /** Takes blocks back until the tip is in the source's chain. False where no such block is known. */
  async function rewind(from: BlockRecord, signal: AbortSignal): Promise<boolean> {
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
    // What those blocks spent is to be watched again, also where this does not get to its end.
    watchedSince = null;
    const gone = (await ledger.blocksFrom(fork.height + 1, from.height - fork.height)).reverse();
    for (const block of gone) {
      if (signal.aborted) return false;
      deps.onApplied(await sink.disconnectBlock(block.height, block.hash));
      tip = await ledger.tip();
    }
    return true;
  }

  async function advance(from: BlockRecord, to: number, signal: AbortSignal): Promise<void> {
    for await (const batch of blocksAhead(chain, from.height + 1, to)) {
      await deps.atRest();
      if (signal.aborted) return;
      if (batch[0]!.prevHash !== tip?.hash) throw new ChainMoved();
      await loadWatched();
      await watching.refresh(ledger);
      const matched: MatchedBlock[] = [];
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
      deps.onApplied(applied);
      const { height, hash, prevHash, time, medianTime } = batch.at(-1)!;
      tip = { height, hash, prevHash, time, medianTime };
    }
  }

  /** From the tip to the source's. False where there is no way. */
  async function move(from: BlockRecord, info: ChainInfo, signal: AbortSignal): Promise<boolean> {
    // A node that syncs anew passes our blocks on its way: it has not turned back.
    if (info.syncing && info.height < from.height) return false;
    try {
      if (!(await rewind(from, signal)) || !tip) return false;
      await advance(tip, info.height, signal);
      return true;
    } catch (error) {
      if (!isWithoutAnswer(error)) throw error;
      await halt(`blocks that are needed to go on are not to be had: ${error.message}`);
      return false;
    }
  }

  return {
    tip: () => tip,
    /** Why spending is halted, or null. */
    halted: () => halted,
    /** Reads the tip and the halt from the database, unless by the time they are read they are not wanted any more. */
    async recall(wanted: () => boolean = () => true) {
      const [storedTip, storedHalt] = [await ledger.tip(), await sink.halted()];
      if (!wanted()) return;
      tip = storedTip;
      announced ??= tip?.hash ?? null;
      halted = storedHalt;
    },
    /** From now on what is watched is loaded anew before it is used. */
    forgetWatched() {
      watchedSince = null;
    },
    /** Brings the database to the source's tip. False where it can't get there now. */
    async follow(info: ChainInfo, signal: AbortSignal) {
      if (!tip) {
        // Where a new node starts, its tip is no place to begin.
        if (info.syncing) return false;
        await sink.begin(await baseBlocks(chain, info));
        tip = await ledger.tip();
        announced ??= tip?.hash ?? null;
      }
      if (!tip) return false;
      if (info.bestBlockHash !== tip.hash && !(await move(tip, info, signal))) return false;
      await loadWatched();
      await goOn();
      if (tip.hash !== announced) {
        announced = tip.hash;
        deps.onTip(tip);
      }
      return tip.hash === info.bestBlockHash;
    },
  };
}
