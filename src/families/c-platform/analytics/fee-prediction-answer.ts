import { z } from 'zod';
import { FEE_TARGETS } from '../../../core/analytics/fee-forecast.ts';
import { answer, feeRate } from '../../answer.ts';

export const FEE_METRIC = 'fee_rate';

export const targetField = z
  .enum(FEE_TARGETS.map(String))
  .transform((text) => Number(text) as (typeof FEE_TARGETS)[number])
  .optional()
  .meta({ description: 'Of `fee_rate`: in blocks. Left out: all that enough is known of' });

export const feePrediction = answer('FeeRatePrediction', {
  metric: z.literal(FEE_METRIC),
  unit: z.literal('sat/vB'),
  data: z.array(
    z.object({
      target: z.int().meta({ description: 'Blocks' }),
      model: z.enum(['last', 'mempool', 'estimate']).meta({
        description: 'Whose errors were spread least: the last `target` blocks, the mempool now, or the node',
      }),
      history: z.int().meta({ description: 'Outcomes that it is made of' }),
      point: feeRate.meta({ description: 'As often too little as too much, sat/vB' }),
      intervals: z.array(z.object({ level: z.int(), low: feeRate, high: feeRate })),
      calibration: z.array(z.object({ level: z.int(), share: z.number().nullable(), of: z.int() })).meta({
        description:
          'Of earlier predictions whose outcome is known (`of`): the share, 0 to 1, that lay in the interval',
      }),
    }),
  ),
});
