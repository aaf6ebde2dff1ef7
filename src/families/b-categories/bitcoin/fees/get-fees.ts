import { z } from 'zod';
import { type FeeRate, formatFeeRate, parseFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { MempoolReads } from '../../../../services/blockchain/mempool-reads.ts';
import { feeRate, unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { reads } from '../../declarations.ts';

const rate = z.codec(
  z.string().meta({ description: 'sat/vB, or "unavailable"', examples: ['12.5'] }),
  z.custom<FeeRate | 'unavailable'>(),
  {
    decode: (text) => (text === 'unavailable' ? text : parseFeeRate(text)),
    encode: (value) => (value === 'unavailable' ? value : formatFeeRate(value)),
  },
);

const fees = unnamedAnswer(
  {
    recommended: z.object({ fastest: rate, half_hour: rate, hour: rate, economy: rate, minimum: rate }),
    estimates: z.record(z.string(), rate).meta({ description: 'By confirmation target in blocks' }),
    min_fee_rate: feeRate.nullable(),
    min_relay_fee_rate: feeRate.nullable(),
    incremental_relay_fee_rate: feeRate.nullable(),
  },
  ({ floors }: Pick<Awaited<ReturnType<MempoolReads['fees']>>, 'floors'>) => ({
    min_fee_rate: floors && formatFeeRate(floors.minimum),
    min_relay_fee_rate: floors && formatFeeRate(floors.relay),
    incremental_relay_fee_rate: floors && formatFeeRate(floors.incremental),
  }),
);

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
      answer: fees,
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
  });
