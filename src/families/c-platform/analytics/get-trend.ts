import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { type Analytics, RANGES } from '../../../services/analytics/analytics.ts';
import { answer, time } from '../../answer.ts';
import { trendExample } from './analytics-examples.ts';
import { bucketTimes, estimate, historyAnswer, historyQuery } from './analytics-fields.ts';

const anomaly = z.object({
  ...bucketTimes,
  ...{ value: estimate, expected: estimate, score: z.number() },
  records: z.array(z.string()).nullable().meta({
    description:
      'Ids of up to 5 that make up most of it, the largest first; null: withheld, or not one of the 10 highest scores',
  }),
  records_complete: z.boolean().nullable().meta({
    description: 'False where there are so many in the interval that only the newest 200 were looked at',
  }),
});
const trend = answer('Trend', {
  ...historyAnswer,
  range: z.enum(RANGES),
  trend: z.object({
    slope: estimate.meta({ description: 'Theil-Sen, per interval, without the season' }),
    low: estimate.meta({ description: 'Bounds of its 95 % confidence interval' }),
    high: estimate,
    p_value: z.number().meta({ description: 'Mann-Kendall, two-sided, corrected for autocorrelation' }),
    tau: z.number(),
    direction: z.enum(['up', 'down', 'none']).meta({ description: '`none` unless p_value is below 0.05' }),
  }),
  change: z.object({
    current: estimate,
    previous: estimate.nullable().meta({ description: 'In the range before; null where that is not kept any more' }),
    absolute: estimate.nullable(),
    relative: z.number().nullable().meta({ description: 'null where the range before has nothing' }),
  }),
  seasonality: z.object({ period: z.int(), strength: z.number() }).nullable().meta({
    description: 'Intervals until it repeats itself, and the autocorrelation there; null where none is significant',
  }),
  moving_average_over: z.int(),
  records_of: z.enum(['transactions', 'contracts', 'approvals']).nullable().meta({
    description: 'What `records` of anomalies are; null: no records are kept of what the metric counts',
  }),
  records_withheld: z
    .string()
    .nullable()
    .meta({ description: 'What the credential needs to be told `records`; null: it may be' }),
  anomalies: z.array(anomaly).meta({ description: 'Robust z-scores beyond 3.5' }),
  data: z.array(z.object({ start: time, value: estimate, moving_average: estimate.nullable() })),
});

export const getTrend = (analytics: Pick<Analytics, 'trend'>) =>
  operation({
    id: 'trend.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/analytics/trends',
    summary: 'The trend of a metric',
    description: 'Of whole intervals. [Guide](/docs/analytics): what each figure means, and how wrong it may be.',
    tag: 'Analytics',
    effect: 'read',
    access: { scope: 'analytics:read', role: 'viewer' },
    query: z.strictObject({ ...historyQuery, range: z.enum(RANGES).default('30d') }),
    success: { status: 200, answer: trend, description: 'With the series it is made of' },
    errors: ['invalid_value', 'not_enough_data'],
    example: { query: { metric: 'volume_out', range: '7d' }, response: trendExample },
    run: ({ query }, context) => analytics.trend(query, context),
  });
