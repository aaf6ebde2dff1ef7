import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { METRIC_NAMES } from '../../../core/metrics/metric-table.ts';
import { operation } from '../../../hooks/operation.ts';
import { type Analytics, HORIZON_NAMES } from '../../../services/analytics/analytics.ts';
import type { FeePredictions } from '../../../services/analytics/fee-predictions.ts';
import { answer, time } from '../../answer.ts';
import { predictionExample } from './analytics-examples.ts';
import { estimate, historyAnswer, historyQuery } from './analytics-fields.ts';
import { FEE_METRIC, feePrediction, targetField } from './fee-prediction-answer.ts';

const prediction = answer('Prediction', {
  ...historyAnswer,
  horizon: z.enum(HORIZON_NAMES),
  history: z.int().meta({ description: 'Whole intervals that it is made of' }),
  model: z.string().meta({ description: 'The one of the least error in the backtest' }),
  backtest: z.object({
    origins: z
      .int()
      .meta({ description: 'How often the later half of the history was predicted from what came before' }),
    error: estimate.meta({ description: 'Mean absolute error of the model' }),
    naive_error: estimate.meta({ description: 'Of the last value, repeated' }),
    errors: z.record(z.string(), estimate),
    coverage: z.array(z.object({ level: z.int(), share: z.number() })).meta({
      description:
        "Share, 0 to 1, of the backtest's values within the model's own intervals, before they were adjusted",
    }),
  }),
  data: z.array(
    z.object({
      start: time,
      point: estimate,
      intervals: z.array(z.object({ level: z.int(), low: estimate, high: estimate })),
    }),
  ),
});

type Predicted = Awaited<ReturnType<Analytics['prediction'] | FeePredictions['predict']>>;

const absent = (name: string, why: string): DomainError =>
  new DomainError('invalid_value', `must be absent: ${why}`, { field: `query.${name}` });

export const getPrediction = (analytics: Pick<Analytics, 'prediction'>, feePredictions: FeePredictions) =>
  operation({
    id: 'prediction.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/analytics/predictions',
    summary: 'What a metric, or the feerate that confirms in time, may come to',
    description: 'With intervals that held what they say in tests. [Guide](/docs/analytics).',
    tag: 'Analytics',
    effect: 'read',
    access: { scope: 'analytics:read', role: 'viewer' },
    query: z.strictObject({
      ...historyQuery,
      metric: z.enum([...METRIC_NAMES, FEE_METRIC]),
      horizon: z.enum(HORIZON_NAMES).optional().meta({ description: 'Of all but `fee_rate`; 7d where not given' }),
      target: targetField,
    }),
    success: {
      status: 200,
      schema: z.union([prediction.schema, feePrediction.schema]),
      description: 'From the interval on that is not over; of `fee_rate` by target',
    },
    present: (result: Predicted) =>
      result.metric === FEE_METRIC ? feePrediction.present(result) : prediction.present(result),
    errors: ['invalid_value', 'not_enough_data', 'unavailable', 'node_unavailable', 'node_syncing'],
    example: { query: { metric: 'volume_out', horizon: '24h' }, response: predictionExample },
    run: ({ query: { metric, target, horizon, timezone } }, context) => {
      if (metric === FEE_METRIC && horizon !== undefined)
        throw absent('horizon', 'fee_rate is predicted by target, in blocks');
      if (metric === FEE_METRIC) return feePredictions.predict(target);
      if (target !== undefined) throw absent('target', `it is for fee_rate; ${metric} is predicted by horizon`);
      return analytics.prediction({ metric, timezone, horizon: horizon ?? '7d' }, context);
    },
  });
