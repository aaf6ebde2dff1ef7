import { median } from 'simple-statistics';
import { type Anomaly, anomaliesIn } from './anomalies.ts';
import { type Seasonality, seasonalFigures, seasonalityOf } from './seasonality.ts';
import { movingAverage, type Trend, trendOf } from './trend.ts';

export interface Analysis {
  readonly trend: Trend;
  readonly seasonality: Seasonality | null;
  readonly movingAverage: { readonly window: number; readonly values: readonly (number | null)[] };
  readonly anomalies: readonly Anomaly[];
}

/** Steps of an average where no period is found. */
const WINDOW = 7;

/** The trend is that of the series without its season, and what is expected of each value is both together. */
function analyse(values: readonly number[], periods: readonly number[]): Analysis {
  const seasonality = seasonalityOf(values, trendOf(values).slope, periods);
  const period = seasonality?.period ?? 1;
  const figures = seasonality === null ? [0] : seasonalFigures(values, period);
  const seasonal = values.map((_, i) => figures[i % period] as number);
  const level = values.map((value, i) => value - (seasonal[i] as number));
  const trend = trendOf(level);
  const start = median(level.map((value, i) => value - trend.slope * i));
  const window = Math.min(seasonality?.period ?? WINDOW, values.length);
  return {
    trend,
    seasonality,
    movingAverage: { window, values: movingAverage(values, window) },
    anomalies: anomaliesIn(
      values,
      seasonal.map((figure, i) => start + trend.slope * i + figure),
    ),
  };
}

/** What crosses to a worker thread. */
export const analysisJobs = {
  'analytics.analyse': ({ values, periods }: { values: readonly number[]; periods: readonly number[] }) =>
    analyse(values, periods),
};
