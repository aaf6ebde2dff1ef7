import { mean, median, probit } from 'simple-statistics';

/** Of lags 1 to `most`, as R's acf and statsmodels compute them. Zeros for a constant series. */
export function autocorrelations(values: readonly number[], most: number): number[] {
  const centre = values.length === 0 ? 0 : mean([...values]);
  const off = values.map((value) => value - centre);
  const all = off.reduce((sum, d) => sum + d * d, 0);
  return Array.from({ length: Math.max(0, most) }, (_, k) => {
    let sum = 0;
    for (let i = k + 1; i < off.length; i++) sum += (off[i] as number) * (off[i - k - 1] as number);
    return all === 0 ? 0 : sum / all;
  });
}

export interface Seasonality {
  /** In steps of the series. */
  readonly period: number;
  /** The autocorrelation at that lag. */
  readonly strength: number;
}

/** The chance of a period in a series without one. */
const FALSE_PERIOD = 0.05;

/**
 * At which of `periods` (a day of hours, a week of days) a series repeats itself: its autocorrelation there, trend taken away, is a peak and
 * significant against those of the shorter lags (Bartlett). Null without one, or where none was seen twice.
 */
export function seasonalityOf(
  values: readonly number[],
  slope: number,
  periods: readonly number[],
): Seasonality | null {
  const n = values.length;
  const possible = periods.filter((period) => 2 * period <= n);
  const acf = autocorrelations(
    values.map((value, i) => value - slope * i),
    Math.max(0, ...possible) + 1,
  );
  const z = probit(1 - FALSE_PERIOD / Math.max(1, possible.length));
  const found = possible.flatMap((period) => {
    const [before = 0, strength = 0, after = 0] = acf.slice(period - 2, period + 1);
    const shorter = acf.slice(0, period - 1).reduce((sum, r) => sum + r * r, 0);
    const isPeak = strength > before && strength > after;
    return isPeak && strength > z * Math.sqrt((1 + 2 * shorter) / n) ? [{ period, strength }] : [];
  });
  return found.sort((a, b) => b.strength - a.strength)[0] ?? null;
}

/** What each phase of the period adds: the median of its values, their mean taken away. */
export function seasonalFigures(values: readonly number[], period: number): number[] {
  const phases = Array.from({ length: period }, (_, phase) => median(values.filter((_, i) => i % period === phase)));
  const centre = mean(phases);
  return phases.map((figure) => figure - centre);
}
