import { z } from 'zod';
import { type FeeRate, formatFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { MempoolReads } from '../../../../services/blockchain/mempool-reads.ts';
import { feeRateAnswer } from '../../../fields.ts';
import { reads } from '../../declarations.ts';
import { CHAIN_ERRORS } from '../chain-fields.ts';

const rateAnswer = z.string().meta({ description: 'sat/vB, or "unavailable"', examples: ['12.5'] });
const shown = (rate: FeeRate | 'unavailable'): string => (rate === 'unavailable' ? rate : formatFeeRate(rate));

export const getFees = (mempool: MempoolReads) =>
  operation({
    ...reads('Bitcoin', 'fees'),
    id: 'fees.get',
    path: '/api/v1/bitcoin/fees',
    summary: 'Feerates: recommended, estimated by target, and the floors',
    description:
      'Recommended, from blocks as miners would make them of what waits now: `fastest` is the higher of the median feerate of the first such ' +
      "block and the node's estimate for 2 blocks; `half_hour` and `hour` are the medians of the second and third block (where the source " +
      "does not show its mempool, the node's estimates for 3 and 6 blocks); `economy` is twice the minimum, but not above `hour`; `minimum` " +
      'is what the mempool takes now. A projected block that is less than half full gives the minimum. None is above a faster one. What ' +
      'the source does not tell is "unavailable", never guessed.',
    success: {
      status: 200,
      description: 'Feerates in sat/vB',
      schema: z.object({
        recommended: z.object({
          fastest: rateAnswer,
          half_hour: rateAnswer,
          hour: rateAnswer,
          economy: rateAnswer,
          minimum: rateAnswer,
        }),
        estimates: z.record(z.string(), rateAnswer).meta({ description: 'By confirmation target in blocks' }),
        min_fee_rate: feeRateAnswer.nullable(),
        min_relay_fee_rate: feeRateAnswer.nullable(),
        incremental_relay_fee_rate: feeRateAnswer.nullable(),
      }),
    },
    errors: [...CHAIN_ERRORS],
    example: {
      response: {
        recommended: { fastest: '12.5', half_hour: '8', hour: '4.2', economy: '0.2', minimum: '0.1' },
        estimates: { '1': '12.5', '6': '8', '144': 'unavailable' },
        min_fee_rate: '0.1',
        min_relay_fee_rate: '0.1',
        incremental_relay_fee_rate: '0.1',
      },
    },
    run: () => mempool.fees(),
    present: ({ recommended, estimates, floors }) => ({
      recommended: {
        fastest: shown(recommended.fastest),
        half_hour: shown(recommended.halfHour),
        hour: shown(recommended.hour),
        economy: shown(recommended.economy),
        minimum: shown(recommended.minimum),
      },
      estimates: Object.fromEntries([...estimates].map(([target, rate]) => [target, shown(rate)])),
      min_fee_rate: floors && formatFeeRate(floors.minimum),
      min_relay_fee_rate: floors && formatFeeRate(floors.relay),
      incremental_relay_fee_rate: floors && formatFeeRate(floors.incremental),
    }),
  });
