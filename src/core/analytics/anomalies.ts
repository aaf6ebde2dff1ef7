import { mean, median } from 'simple-statistics';

export interface Anomaly {
  /** Index in the series. */
  readonly at: number;
  readonly expected: number;
  /** Robust z-score. */
  readonly score: number;
}

/** Iglewicz and Hoaglin (1993): a modified z-score beyond this is an outlier. */
const MAX_SCORE = 3.5;
/** What makes the median (mean) absolute deviation a standard deviation where values are normal. */
const OF_MEDIAN = 0.6744897501960817;
const OF_MEAN = 0.7978845608028654;

/** Values far from what was expected of them, by the median of all deviations, which outliers hardly move. */
export function anomaliesIn(values: readonly number[], expected: readonly number[]): Anomaly[] {
  const off = values.map((value, i) => value - (expected[i] as number));
  const centre = median(off);
  const distances = off.map((d) => Math.abs(d - centre));
  // More than half as expected: the median of the distances is 0 then and says nothing.
  const scale = median(distances) / OF_MEDIAN || mean(distances) / OF_MEAN;
  if (scale === 0) return [];
  return off.flatMap((d, at) => {
    const score = (d - centre) / scale;
    return Math.abs(score) > MAX_SCORE ? [{ at, expected: (expected[at] as number) + centre, score }] : [];
  });
}
