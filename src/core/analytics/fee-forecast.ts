/**
 * What feerate confirms within so many blocks: what the mempool, the node's estimator and the last blocks say, times what each of them was
 * wrong by before. Intervals are quantiles of those errors (split conformal prediction), whatever the errors look like.
 */
import { mean, median } from 'simple-statistics';
import { LEVELS, type Level } from './forecast.ts';

/** In blocks. */
export const FEE_TARGETS = [1, 2, 3, 6, 12, 24, 144] as const;
export type FeeTarget = (typeof FEE_TARGETS)[number];

/** Feerates in sat/kvB. */
export interface FeeSigns {
  /** Where what waits fills the blocks. */
  readonly mempool: number;
  /** The node's; null where it has none. */
  readonly estimate: number | null;
}
type Intervals = Readonly<Record<Level, readonly [number, number]>>;

/** Of a target, when the block had come. */
export interface FeeSaid extends FeeSigns {
  /** What was predicted; null where too little was known. */
  readonly intervals: Intervals | null;
}

export interface FeeObservation {
  readonly height: number;
  /** What this block took; null where that was not seen. */
  readonly needed: number | null;
  readonly said: Readonly<Record<FeeTarget, FeeSaid>>;
}

export interface FeeForecast {
  readonly model: 'last' | 'mempool' | 'estimate';
  /** Outcomes that it is made of. */
  readonly history: number;
  readonly point: number;
  readonly intervals: Intervals;
}

/** Below that, no error is rare enough to be the end of a 95 % interval. */
export const LEAST_OUTCOMES = 40;
/** Calibrated by this many outcomes at most, or by seven of its own length. */
const MOST_OUTCOMES = 200;
const outcomesFor = (target: FeeTarget): number => Math.max(MOST_OUTCOMES, 7 * target);
/** Observations that matter. */
export const FEE_HISTORY = outcomesFor(144) + 2 * 144;

interface Past {
  readonly row: FeeObservation;
  /** The least that sufficed in the blocks after it, and in those up to it; null while it is not known. */
  readonly outcome: number | null;
  readonly last: number | null;
}

/** `rows` by height; where less than half of the blocks was seen, nothing is known of them. */
export function feePast(rows: readonly FeeObservation[], target: FeeTarget): Past[] {
  const tip = rows.at(-1)?.height ?? 0;
  const ending = rows.map((_, at) => leastOf(rows, at, target));
  return rows.map((row, at) => {
    let end = at;
    while ((rows[end + 1]?.height ?? Number.POSITIVE_INFINITY) <= row.height + target) end++;
    const isOver = row.height + target <= tip;
    const isSeen = rows[end]?.height === row.height + target;
    const outcome = !isOver ? null : isSeen ? ending[end]! : leastOf(rows, end, target, row.height + target);
    return { row, outcome, last: ending[at]! };
  });
}

/** Of the blocks of the last `target` heights up to `top`. */
function leastOf(
  rows: readonly FeeObservation[],
  end: number,
  target: number,
  top = rows[end]?.height ?? 0,
): number | null {
  let [least, seen] = [Number.POSITIVE_INFINITY, 0];
  for (let at = end; at >= 0 && rows[at]!.height > top - target; at--) {
    const { needed } = rows[at]!;
    if (needed === null) continue;
    seen++;
    least = Math.min(least, needed);
  }
  return seen > 0 && 2 * seen >= target ? least : null;
}

const MODELS: readonly {
  readonly model: FeeForecast['model'];
  of(signs: FeeSigns, last: number | null): number | null;
}[] = [
  { model: 'last', of: (_, last) => last },
  { model: 'mempool', of: ({ mempool }) => mempool },
  { model: 'estimate', of: ({ estimate }) => estimate },
];

/** By the model whose errors are spread least, without what it is wrong by on the whole. null: too few outcomes are known. */
export function forecastFees(past: readonly Past[], now: FeeSigns, target: FeeTarget): FeeForecast | null {
  let best: { model: FeeForecast['model']; base: number; errors: number[]; centre: number; spread: number } | null =
    null;
  for (const { model, of } of MODELS) {
    const base = of(now, past.at(-1)?.last ?? null);
    if (base === null) continue;
    const errors = past
      .flatMap(({ row, outcome, last }) => {
        const then = of(row.said[target], last);
        return outcome === null || then === null ? [] : [Math.log(outcome / then)];
      })
      .slice(-outcomesFor(target));
    if (errors.length < LEAST_OUTCOMES) continue;
    const centre = median(errors);
    const spread = mean(errors.map((error) => Math.abs(error - centre)));
    if (best === null || spread < best.spread) best = { model, base, errors, centre, spread };
  }
  if (best === null) return null;
  const { model, base, errors, centre } = best;
  const sorted = errors.toSorted((one, other) => one - other);
  const at = (place: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, place - 1))]!;
  const within = (level: Level): readonly [number, number] => {
    const outside = (1 - level / 100) / 2;
    const low = at(Math.floor((sorted.length + 1) * outside));
    const high = at(Math.ceil((sorted.length + 1) * (1 - outside)));
    return [Math.floor(base * Math.exp(low) + ROUNDING), Math.ceil(base * Math.exp(high) - ROUNDING)];
  };
  const intervals = { 50: within(50), 80: within(80), 95: within(95) };
  return { model, history: errors.length, point: Math.round(base * Math.exp(centre)), intervals };
}

/** What exp and log leave of a whole number. */
const ROUNDING = 1e-6;

/** Of what was predicted and is known by now: how much of it lay in each interval. */
export function feeCalibration(past: readonly Past[], target: FeeTarget) {
  const known = past.flatMap(({ row, outcome }) => {
    const { intervals } = row.said[target];
    return intervals === null || outcome === null ? [] : [{ intervals, outcome }];
  });
  return LEVELS.map((level) => {
    const held = known.filter(({ intervals, outcome }) => {
      const [low, high] = intervals[level];
      return low <= outcome && outcome <= high;
    });
    return { level, share: known.length === 0 ? null : held.length / known.length, of: known.length };
  });
}
