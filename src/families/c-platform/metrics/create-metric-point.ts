import { z } from 'zod';
import {
  EARLIEST_MS,
  KINDS,
  LATEST_MS,
  MOST_LABELS,
  MOST_NAMES,
  MOST_POINTS,
  MOST_SERIES,
  VALUE,
} from '../../../core/metrics/custom-metric.ts';
import { DAY_MS } from '../../../core/metrics/local-time.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Metrics } from '../../../services/metrics/metrics.ts';
import { answer, time } from '../../answer.ts';
import { namedRequest } from '../../fields.ts';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const LABEL = /^[a-z][a-z0-9_]{0,31}$/;
const labels = z
  .record(
    z.string().regex(LABEL, 'must begin with a letter, and have at most 32 of a-z, 0-9 and _'),
    z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters'),
  )
  .refine((all) => Object.keys(all).length <= MOST_LABELS, `must be at most ${MOST_LABELS}`);

const point = answer('MetricPoint', {
  metric: z.string().meta({ description: 'As `detailed` takes it' }),
  kind: z.enum(KINDS),
  value: z.string(),
  labels: z.record(z.string(), z.string()),
  at: time,
});
const example = { value: '12.5', labels: { region: 'eu' } };

export const createMetricPoint = ({ add }: Metrics['custom']) =>
  operation({
    family: 'c',
    id: 'metric-point.create',
    method: 'POST',
    path: '/api/v1/metrics/custom',
    summary: "Send a value of a metric of the account's own",
    description:
      `The first point makes the metric, and says its kind. An account has at most ${MOST_NAMES} metrics with ${MOST_SERIES} sets of labels in all, and sends ` +
      `${MOST_POINTS} points a day. Read it by \`GET /api/v1/metrics/detailed?metric=custom.<name>\`: [guide](/docs/metrics).`,
    tag: 'Metrics',
    effect: 'write',
    access: { scope: 'metrics:write', role: 'operator' },
    changesRules: false,
    spends: [],
    body: namedRequest('MetricPointRequest', {
      name: z.string().regex(NAME, 'must begin with a letter, and have at most 64 of a-z, 0-9 and _'),
      kind: z.enum(KINDS).optional().meta({ description: 'A counter adds its points up, a gauge has their mean' }),
      value: z
        .string()
        .regex(VALUE, 'must be a decimal number as a string, of at most 11 digits and 8 decimals')
        .meta({ examples: ['12.5'] }),
      labels: labels.default({}),
      at: z.iso
        .datetime({ offset: true, error: 'must be a time such as 2026-11-21T10:00:00Z' })
        .transform((text) => Date.parse(text))
        .optional()
        .meta({
          description: `Now, unless said; at most ${LATEST_MS / DAY_MS} days ago and ${EARLIEST_MS / 60_000} minutes ahead`,
        }),
    }),
    success: { status: 201, answer: point, description: 'The point' },
    errors: ['state_conflict', 'too_large', 'time_out_of_range'],
    example: {
      body: { name: 'orders', kind: 'counter', ...example },
      response: { metric: 'custom.orders', kind: 'counter', ...example, at: '2026-11-24T10:15:00.000Z' },
    },
    run: ({ body }, context) => add(body, context),
  });
