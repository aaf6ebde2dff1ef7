import { z } from 'zod';
import { METRIC_NAMES, UNITS } from '../../../core/metrics/metric-table.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Metrics } from '../../../services/metrics/metrics.ts';
import { SUMMARY_RANGES } from '../../../services/metrics/summary.ts';
import { answer, time } from '../../answer.ts';
import { namedObject } from '../../fields.ts';

const summary = answer('MetricSummary', {
  range: z.enum(SUMMARY_RANGES),
  from: time,
  to: time.meta({ description: 'The end of this quarter of an hour' }),
  metrics: z.array(
    namedObject('SummarizedMetric', {
      name: z.enum(METRIC_NAMES),
      unit: z.enum(UNITS),
      value: z.string(),
      before: z.string().meta({ description: 'In the range before; of a balance, at its end' }),
      change: z.string().meta({ description: '`value` without `before`' }),
      by_status: z.record(z.string(), z.string()),
    }),
  ),
  follower_lag: z.int().nullable().meta({ description: 'Blocks to the tip; null where it is not known' }),
});
const volume = {
  name: 'volume_out',
  unit: 'btc',
  value: '0.42000000',
  before: '0.40000000',
  change: '0.02000000',
} as const;

export const summarizeMetric = (metrics: Pick<Metrics, 'summary'>) =>
  operation({
    family: 'c',
    id: 'metric.summarize',
    method: 'GET',
    path: '/api/v1/metrics/summary',
    summary: 'All metrics of the last day, week or month, each with the change against the one before',
    description: 'What each counts: `GET /api/v1/metrics/names`. Requests are written every 10 s.',
    tag: 'Metrics',
    effect: 'read',
    access: { scope: 'metrics:read', role: 'viewer' },
    query: z.strictObject({ range: z.enum(SUMMARY_RANGES).default('24h') }),
    success: { status: 200, answer: summary, description: 'The metrics in the order of their names in /names' },
    example: {
      query: { range: '7d' },
      response: {
        ...{ range: '7d', from: '2026-11-17T10:15:00.000Z', to: '2026-11-24T10:15:00.000Z', follower_lag: 0 },
        metrics: [{ ...volume, by_status: { confirmed: '0.42000000' } }],
      },
    },
    run: ({ query: { range } }, context) => metrics.summary(range, context),
  });
