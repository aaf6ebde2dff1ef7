import { errorFunction, medianSorted } from 'simple-statistics';
import { autocorrelations } from './seasonality.ts';

export interface Trend {
  /** Per step of the series: the median of all pairwise slopes. */
  readonly slope: number;
  /** Bounds of the slope's 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
  /** Two-sided: the chance of so steady a course without a trend. */
  readonly pValue: number;
  /** Kendall's S over the number of pairs, -1 to 1. */
  readonly tau: number;
}

const Z_95 = 1.959963984540054;

/**
 * Theil-Sen slope and Mann-Kendall test of at least three values at equal steps (Sen 1968; Kendall 1975): single outliers move neither. The
 * variance of S is that of independent values, with ties, times `inflation`; without that a random walk has a trend most of the time.
 */
export function trendOf(values: readonly number[], inflation?: number): Trend {
  const n = values.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let s = 0;
  let at = 0;
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const rise = (values[j] as number) - (values[i] as number);
      s += Math.sign(rise);
      slopes[at++] = rise / (j - i);
    }
  slopes.sort();
  const slope = medianSorted(slopes as unknown as number[]);
  const sigma = Math.sqrt(varianceOfS(values) * (inflation ?? inflationOf(values, slope)));
  const z = sigma === 0 ? 0 : (s - Math.sign(s)) / sigma;
  const ranked = (rank: number): number => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] as number;
  return {
    slope,
    low: ranked((slopes.length - Z_95 * sigma) / 2 - 1),
    high: ranked((slopes.length + Z_95 * sigma) / 2),
    pValue: 1 - errorFunction(Math.abs(z) / Math.SQRT2),
    tau: s / slopes.length,
  };
}

function varianceOfS(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const term = (t: number): number => t * (t - 1) * (2 * t + 5);
  return (term(values.length) - [...counts.values()].reduce((sum, t) => sum + term(t), 0)) / 18;
}

/**
 * How much greater the variance of S is because neighbours resemble each other (Yue and Wang 2004): as for a first-order autoregression of the
 * ranks without their trend, whose coefficient is rid of its bias in short series (Marriott and Pope 1954).
 */
function inflationOf(values: readonly number[], slope: number): number {
  const n = values.length;
  const [seen = 0] = autocorrelations(ranksOf(values.map((value, i) => value - slope * i)), 1);
  if (n < 6 || seen <= Z_95 / Math.sqrt(n)) return 1;
  const r = Math.min(0.98, (n * seen + 2) / (n - 4));
  let sum = 0;
  for (let lag = 1, power = r; lag < n && power > 1e-6; lag++, power *= r) sum += (1 - lag / n) * power;
  return 1 + 2 * sum;
}

/** Ties share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to++;
    for (let k = from; k < to; k++) ranks[order[k] as number] = (from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

/** Means of the last `window` values, each with its own last; null before there are so many. */
export function movingAverage(values: readonly number[], window: number): (number | null)[] {
  let sum = 0;
  return values.map((value, i) => {
    sum += value - (i >= window ? (values[i - window] as number) : 0);
    return i + 1 < window ? null : sum / window;
  });
}
