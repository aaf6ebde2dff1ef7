import { average, naive, seasonalNaive } from '../../src/core/analytics/plain-models.ts';
import { seasonalSmoothing, smoothing } from '../../src/engines/forecasting/smoothing-models.ts';

/** Those of daily figures. */
export const WEEKLY = [naive, average, seasonalNaive(7), smoothing, seasonalSmoothing(7)];
export const FROM_ZERO = { min: 0, max: Number.POSITIVE_INFINITY };
