/**
 * Continues replays that are too long for a request: a piece at a time, accounts in turn, in one process at a time. Figures are committed with
 * the place that was reached. The windows are in memory; after a restart they are computed again from the history.
 */

import type { Logger } from 'pino';
import type { AccountId } from '../../../core/ids.ts';
import { createWorkOutage, reasonOf } from '../../../outages/outage.ts';
import { createJobQueue, type Job } from '../../../scheduling/job-queue.ts';
import type { Worker } from '../../../scheduling/worker.ts';
import type { ReplayRecord } from '../../../store/repositories/replays.ts';
import type { Store } from '../../../store/store.ts';
import type { EntriesOf } from '../spending-of.ts';
import { createHistoryPass, type HistoryPass, TooManySums, windowStart } from './history-pass.ts';
import { createTally } from './replay-figures.ts';

const INTERVAL_MS = 5_000;
/** Accounts whose windows are in memory at the same time; the next account starts when one of these is done. */
export const MOST_ACCOUNTS = 4;
const AT_ONCE = { all: 2, ofAccount: 1 };
/** Read in one round, the oldest of each account. */
const A_ROUND = 1_000;
/** One that fails among others that do not is one outage. */
const CALM_MS = 60_000;
/** A piece ends after so many milliseconds or pages. */
const PIECE_MS = 500;
const PIECE_PAGES = 40;

export function createReplayWorker(deps: {
  store: Store;
  entriesOf: EntriesOf;
  clock: () => number;
  mostSums?: number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}): Worker {
  const { store, clock, log } = deps;
  const { read } = store;
  const passes = new Map<string, HistoryPass>();
  /** Their last piece failed, the one that failed longest ago first: they keep no place from those that go on. */
  const failing = new Set<string>();

  async function passOf(replay: ReplayRecord): Promise<HistoryPass> {
    const { accountId, policies, defaultAction, replayId, place, firstPlace, lastPlace, fromAt } = replay;
    const known = passes.get(replayId);
    const next = place + 1;
    // It first fills the windows. Once it evaluates payments, its place is that of the record.
    if (known !== undefined && (known.place() === place || (known.from === next && known.place() < next))) return known;
    const [payment] = await read.spendHistory.payments(accountId, place, lastPlace, 1);
    const start = await windowStart(read, replay, next, next === firstPlace ? fromAt : (payment?.createdAt ?? fromAt));
    const options = { accountId, policies, defaultAction, from: next, to: lastPlace };
    const pass = await createHistoryPass({ ...deps, read }, options, start);
    passes.set(replayId, pass);
    return pass;
  }

  async function go(replay: ReplayRecord, signal: AbortSignal): Promise<'done' | 'more'> {
    const pass = await passOf(replay);
    const tally = createTally(replay);
    const since = performance.now();
    for (let pages = 0; pages < PIECE_PAGES && performance.now() - since < PIECE_MS; pages++) {
      if (signal.aborted || pass.place() >= replay.lastPlace) break;
      await pass.advance(tally.add);
    }
    const place = Math.max(pass.place(), replay.place);
    const isDone = place >= replay.lastPlace;
    const end = isDone ? ({ status: 'done', closedAt: clock() } as const) : {};
    const patch = { place, figures: tally.figures(), progressedAt: clock(), ...end };
    const goesOn = await store.write(async (tx) => {
      if (!(await tx.replays.progress(replay, patch))) return false;
      await tx.replays.addDifferences(tally.found());
      return !isDone;
    });
    return goesOn ? 'more' : 'done';
  }

  async function perform({ key, accountId }: Job, signal: AbortSignal): Promise<'done' | 'more'> {
    try {
      const replay = await read.replays.find(accountId as AccountId, key);
      const outcome = replay?.status === 'running' ? await goOrEnd(replay, signal) : 'done';
      if (outcome === 'done') passes.delete(key);
      failing.delete(key);
      return outcome;
    } catch (error) {
      passes.delete(key);
      failing.delete(key);
      failing.add(key);
      throw error;
    }
  }

  async function goOrEnd(replay: ReplayRecord, signal: AbortSignal): Promise<'done' | 'more'> {
    try {
      return await go(replay, signal);
    } catch (error) {
      if (!(error instanceof TooManySums)) throw error;
      const end = { status: 'failed', reason: error.message, closedAt: clock() } as const;
      await store.write((tx) => tx.replays.progress(replay, end));
      return 'done';
    }
  }

  /** Those whose windows are in memory, and those that fail: what is left out has no pause, and is named again. */
  async function due(): Promise<Job[]> {
    const all = new Map((await read.replays.due(A_ROUND)).map((one) => [one.replayId, one.accountId]));
    for (const key of failing) if (!all.has(key)) failing.delete(key);
    const sound = [...all.keys()].filter((key) => !failing.has(key)).slice(0, MOST_ACCOUNTS);
    const turns = [...sound, ...failing];
    // Deleted meanwhile, or no longer among them.
    for (const key of passes.keys()) if (!turns.includes(key)) passes.delete(key);
    return turns.map((key) => ({ key, accountId: all.get(key)! }));
  }

  return createJobQueue<Job>({
    ...{ name: 'replays', log, clock, intervalMs: INTERVAL_MS, atOnce: AT_ONCE },
    failed: 'running replays of rules could not be read',
    recovered: 'running replays of rules are read again',
    failing: createWorkOutage({
      ...{ part: 'replays', log, clock, calmMs: CALM_MS },
      began: 'a replay of rules fails; trying again',
      ended: 'replays of rules continue',
    }),
    named: ({ key: replayId, accountId }, { attempts, error }) =>
      log.warn({ replayId, accountId, attempts, ...reasonOf(error) }, 'a replay of rules cannot go on; trying again'),
    alone: (signal, rounds) => store.exclusively('replays', signal, rounds),
    due,
    perform,
  });
}
