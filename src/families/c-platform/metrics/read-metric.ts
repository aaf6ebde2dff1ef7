import { z } from 'zod';
import { MINUTES_KEPT_MS } from '../../../core/metrics/buckets.ts';
import { DAY_MS, INTERVALS } from '../../../core/metrics/local-time.ts';
import { GROUPS, UNITS } from '../../../core/metrics/metric-table.ts';
import { operation } from '../../../hooks/operation.ts';
import { type Metrics, MOST_BUCKETS } from '../../../services/metrics/metrics.ts';
import { answer, time } from '../../answer.ts';
import { idField, namedObject } from '../../fields.ts';
import { timezoneField } from '../enterprise/policies/policy-fields.ts';
import { metricField, metricName } from './metric-fields.ts';

const value = z
  .string()
  .meta({ description: 'A decimal number in the unit; of `btc` and `number` with 8 decimals, of `ratio` with 6' });
const bucket = namedObject('MetricBucket', {
  start: time,
  end: time,
  value: value.nullable().meta({ description: 'Null: nothing is known, of a gauge without points' }),
  groups: z.record(z.string(), value).optional().meta({ description: 'By group; one with nothing in it is absent' }),
  partial: z.boolean().meta({ description: 'It is not over' }),
});
const series = answer('MetricSeries', {
  metric: metricName,
  unit: z.enum(UNITS),
  interval: z.enum(INTERVALS),
  timezone: z.string(),
  from: time,
  to: time,
  data: z.array(bucket),
});

const timeQuery = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-21T10:00:00Z' })
  .transform((text) => Date.parse(text))
  .optional();

export const readMetric = (metrics: Pick<Metrics, 'detailed'>) =>
  operation({
    family: 'c',
    id: 'metric.read',
    method: 'GET',
    path: '/api/v1/metrics/detailed',
    summary: 'A metric over time',
    description:
      `The intervals that cover the time from \`from\` to \`to\`, at most ${MOST_BUCKETS}, empty ones included. Minutes are kept for ` +
      `${MINUTES_KEPT_MS / DAY_MS} days. What is in a block counts at the block's time: [guide](/docs/metrics).`,
    tag: 'Metrics',
    effect: 'read',
    access: { scope: 'metrics:read', role: 'viewer' },
    query: z.strictObject({
      metric: metricField,
      from: timeQuery,
      to: timeQuery.meta({ description: 'Now, unless said' }),
      interval: z.enum(INTERVALS).default('day'),
      timezone: timezoneField.default('UTC').meta({ description: 'In which hours, days, weeks and months begin' }),
      wallet_id: idField('wal').optional(),
      group_by: z
        .enum(GROUPS)
        .optional()
        .meta({ description: '`credential` takes the role operator and the scope usage:read as well' }),
      label: z.string().max(64).optional().meta({ description: 'Which one `group_by=label` groups by' }),
    }),
    errors: ['not_found'],
    success: { status: 200, answer: series, description: 'The earliest interval first' },
    example: {
      query: { metric: 'volume_out', timezone: 'UTC', group_by: 'status' },
      response: {
        ...{ metric: 'volume_out', unit: 'btc', interval: 'day', timezone: 'UTC' },
        ...{ from: '2026-11-24T00:00:00.000Z', to: '2026-11-25T00:00:00.000Z' },
        data: [
          {
            ...{ start: '2026-11-24T00:00:00.000Z', end: '2026-11-25T00:00:00.000Z' },
            ...{ value: '0.42000000', groups: { confirmed: '0.42000000' }, partial: false },
          },
        ],
      },
    },
    run: ({ query: { wallet_id: walletId, group_by: groupBy, ...query } }, context) =>
      metrics.detailed({ ...query, walletId, groupBy }, context),
  });
