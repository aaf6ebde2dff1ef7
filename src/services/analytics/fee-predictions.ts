/**
 * Feerates that confirm within so many blocks. What each block took is seen by the process that follows the chain, by the mempool shortly
 * before and after it; any process answers from what is written of that, and from the mempool now.
 */
import type { ChainSource } from '../../chain/chain-source.ts';
import {
  FEE_HISTORY,
  FEE_TARGETS,
  type FeeObservation,
  type FeeSigns,
  type FeeTarget,
  feeCalibration,
  feePast,
  forecastFees,
  LEAST_OUTCOMES,
} from '../../core/analytics/fee-forecast.ts';
import { LEVELS } from '../../core/analytics/forecast.ts';
import { DomainError } from '../../core/errors.ts';
import type { FeeRate } from '../../core/fee-rate.ts';
import { type FeeRateStep, feeRateSteps, neededFeeRate, rateAtDepth } from '../../core/mempool/needed-fee-rate.ts';
import type { OutageLog } from '../../outages/outage.ts';
import { inSlices } from '../../scheduling/in-slices.ts';
import { createWorker } from '../../scheduling/worker.ts';
import type { Store } from '../../store/store.ts';
import { sharedAnswer } from '../blockchain/shared-answer.ts';

const EVERY_MS = 20_000;
const AGAIN_MS = 2_000;
/** Mempools that lie further apart, or have more blocks between them, do not tell what was mined. */
const APART = { ms: 120_000, blocks: 3 };
/** Half a year of blocks is kept. */
const KEPT = 26_000;

export interface FeePredictionDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly chain: Pick<ChainSource, 'info' | 'bestBlockHash' | 'feeRateDistribution' | 'mempoolInfo' | 'estimateFees'>;
  readonly clock: () => number;
  readonly log: OutageLog;
}

export function createFeePredictions({ store, chain, clock, log }: FeePredictionDeps) {
  const { feeObservations } = store.read;
  let kept: { newest: string | null; rows: readonly FeeObservation[] } = { newest: null, rows: [] };
  let before: Awaited<ReturnType<typeof look>> = null;
  /** The first look at a new block: the source may have told of a mempool that it had gathered before. */
  let first: Awaited<ReturnType<typeof look>> = null;

  async function history(): Promise<readonly FeeObservation[]> {
    const newest = await feeObservations.newest();
    if (newest !== kept.newest) kept = { newest, rows: await feeObservations.latest(FEE_HISTORY) };
    return kept.rows;
  }

  /** null: a block came meanwhile, or the source does not tell all of its mempool. */
  async function look() {
    const { height, bestBlockHash: hash, syncing } = await chain.info();
    if (syncing) return null;
    const [{ bands, complete }, info, estimates] = await Promise.all([
      chain.feeRateDistribution(),
      chain.mempoolInfo(),
      chain.estimateFees(FEE_TARGETS),
    ]);
    if (!complete || (await chain.bestBlockHash()) !== hash) return null;
    const waiting = await inSlices(feeRateSteps(bands), 1);
    const floor = Number(info.minFeeRate > info.minRelayFeeRate ? info.minFeeRate : info.minRelayFeeRate);
    const signsOf = (target: FeeTarget): FeeSigns => {
      const estimate = estimates.get(target) ?? 'unavailable';
      const mempool = rateAtDepth(waiting, target, floor);
      return { mempool, estimate: estimate === 'unavailable' ? null : Math.max(floor, Number(estimate)) };
    };
    return { height, hash, bands, at: clock(), waiting, floor, signs: byTarget(signsOf) };
  }

  async function round(): Promise<void> {
    const now = await look();
    if (now === null) return;
    const then = before;
    if (then !== null && then.hash !== now.hash && (first?.hash !== now.hash || first.bands === now.bands)) {
      first = now;
      return worker.wake(AGAIN_MS);
    }
    before = now;
    const rows = await history();
    if (then?.hash === now.hash || kept.newest === now.hash) return;
    const needed = then === null ? null : neededBetween(then, now);
    const { height, hash: blockHash, at: seenAt, signs } = now;
    const silent = byTarget((target) => ({ ...signs[target], intervals: null }));
    const known = [...rows.filter((row) => row.height < height), { height, needed, said: silent }];
    const said = await inSlices(forecastSteps(known, signs), 1);
    await store.write(async (tx) => {
      await tx.feeObservations.put({ height, blockHash, seenAt, needed, said });
      await tx.feeObservations.deleteOutside(height - KEPT, height);
    });
  }

  const worker = createWorker({
    ...{ name: 'feeRates', log, clock, round, intervalMs: EVERY_MS },
    failed: 'what feerates blocks take could not be recorded',
    recovered: 'what feerates blocks take is recorded again',
  });

  const all = sharedAnswer(async () => {
    const rows = await history();
    const now = await look();
    if (now === null) throw new DomainError('unavailable', 'the mempool is being gathered, or a block has just come');
    return inSlices(answerSteps(rows, now.signs), 1);
  }, clock);

  return {
    /** Of all targets that enough is known of, or of one. Throws `not_enough_data`, `unavailable`, `node_unavailable`. */
    async predict(target?: FeeTarget) {
      const { found, outcomes } = await all();
      const data = found.filter((one) => target === undefined || one.target === target);
      if (data.length > 0) return { metric: 'fee_rate', unit: 'sat/vB', data } as const;
      const asked = target ?? FEE_TARGETS[0];
      throw new DomainError(
        'not_enough_data',
        `what confirms within ${asked} ${asked === 1 ? 'block' : 'blocks'} has been seen ${outcomes[asked]} times; this takes at least ${LEAST_OUTCOMES}`,
        { field: target === undefined ? 'query.metric' : 'query.target' },
      );
    },
    worker,
  };
}
export type FeePredictions = ReturnType<typeof createFeePredictions>;

const byTarget = <Of>(of: (target: FeeTarget) => Of) =>
  Object.fromEntries(FEE_TARGETS.map((target) => [target, of(target)])) as Record<FeeTarget, Of>;

type Look = { readonly height: number; readonly at: number; readonly waiting: readonly FeeRateStep[]; floor: number };
function neededBetween(then: Look, { height, at, waiting, floor }: Look): number | null {
  const blocks = height - then.height;
  if (blocks < 1 || blocks > APART.blocks || Math.abs(at - then.at) > APART.ms) return null;
  return neededFeeRate(then.waiting, waiting, { floor, blocks });
}

/** A target at a step. */
function* forecastSteps(rows: readonly FeeObservation[], signs: Readonly<Record<FeeTarget, FeeSigns>>) {
  const said: Partial<Record<FeeTarget, FeeObservation['said'][FeeTarget]>> = {};
  for (const target of FEE_TARGETS) {
    const { intervals = null } = forecastFees(feePast(rows, target), signs[target], target) ?? {};
    said[target] = { ...signs[target], intervals };
    yield;
  }
  return said as FeeObservation['said'];
}

const rateOf = (satPerKvb: number): FeeRate => BigInt(satPerKvb) as FeeRate;

function* answerSteps(rows: readonly FeeObservation[], signs: Readonly<Record<FeeTarget, FeeSigns>>) {
  const outcomes: Partial<Record<FeeTarget, number>> = {};
  const found = [];
  for (const target of FEE_TARGETS) {
    const past = feePast(rows, target);
    outcomes[target] = past.filter(({ outcome }) => outcome !== null).length;
    const forecast = forecastFees(past, signs[target], target);
    if (forecast !== null) {
      const { model, history, point, intervals } = forecast;
      const shown = LEVELS.map((level) => {
        const [low, high] = intervals[level];
        return { level, low: rateOf(low), high: rateOf(high) };
      });
      const calibration = feeCalibration(past, target);
      found.push({ target, model, history, point: rateOf(point), intervals: shown, calibration });
    }
    yield;
  }
  return { found, outcomes: outcomes as Record<FeeTarget, number> };
}
