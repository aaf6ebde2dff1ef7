import { z } from 'zod';
import { CUSTOM_NAME } from '../../../core/metrics/custom-metric.ts';
import { type CustomName, METRIC_NAMES } from '../../../core/metrics/metric-table.ts';

/** Of the account's own. */
const customNameField = z
  .string()
  .regex(CUSTOM_NAME)
  .transform((name) => name as CustomName);

export const metricField = z.union([z.enum(METRIC_NAMES), customNameField], {
  error: `must be ${METRIC_NAMES.join(', ')}, or custom.<name>`,
});

/** As answers have it. */
export const metricName = z
  .string()
  .meta({ description: 'Such as `volume_out`, or `custom.orders`', examples: ['volume_out'] });
