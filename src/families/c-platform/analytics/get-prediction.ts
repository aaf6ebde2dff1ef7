import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { type Analytics, HORIZON_NAMES } from '../../../services/analytics/analytics.ts';
import { answer, time } from '../../answer.ts';
import { predictionExample } from './analytics-examples.ts';
import { estimate, historyAnswer, historyQuery } from './analytics-fields.ts';

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

export const getPrediction = (analytics: Pick<Analytics, 'prediction'>) =>
  operation({
    id: 'prediction.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/analytics/predictions',
    summary: 'What a metric may come to',
    description: 'With intervals that held what they say in tests. [Guide](/docs/analytics).',
    tag: 'Analytics',
    effect: 'read',
    access: { scope: 'analytics:read', role: 'viewer' },
    query: z.strictObject({ ...historyQuery, horizon: z.enum(HORIZON_NAMES).default('7d') }),
    success: { status: 200, answer: prediction, description: 'From the interval on that is not over' },
    errors: ['invalid_value', 'not_enough_data'],
    example: { query: { metric: 'volume_out', horizon: '24h' }, response: predictionExample },
    run: ({ query }, context) => analytics.prediction(query, context),
  });
