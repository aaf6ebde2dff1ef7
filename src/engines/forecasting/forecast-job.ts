import { type Bounds, forecastOf } from '../../core/analytics/forecast.ts';
import { average, naive, seasonalNaive } from '../../core/analytics/plain-models.ts';
import { seasonalSmoothing, smoothing } from './smoothing-models.ts';

export interface ForecastParams {
  readonly values: readonly number[];
  readonly steps: number;
  /** Steps in which a series like this may repeat itself. */
  readonly period: number;
  readonly bounds: Bounds;
}

export const forecastJobs = {
  'analytics.forecast': ({ values, steps, period, bounds }: ForecastParams) =>
    forecastOf(values, steps, [naive, average, seasonalNaive(period), smoothing, seasonalSmoothing(period)], bounds),
};
