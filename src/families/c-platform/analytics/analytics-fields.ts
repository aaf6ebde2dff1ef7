import { z } from 'zod';
import { METRIC_NAMES, UNITS } from '../../../core/metrics/metric-table.ts';
import { time } from '../../answer.ts';
import { timezoneField } from '../enterprise/policies/policy-fields.ts';

export const estimate = z.string().meta({ description: "A decimal number in the metric's unit" });
export const historyQuery = {
  metric: z.enum(METRIC_NAMES),
  timezone: timezoneField.default('UTC').meta({ description: 'In which hours and days begin' }),
};
export const historyAnswer = {
  metric: z.enum(METRIC_NAMES),
  unit: z.enum(UNITS),
  interval: z.enum(['hour', 'day']),
  timezone: z.string(),
};
export const bucketTimes = { start: time, end: time };
