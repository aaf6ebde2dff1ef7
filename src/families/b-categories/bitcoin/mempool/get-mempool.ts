import { z } from 'zod';
import { formatFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { MempoolReads } from '../../../../services/blockchain/mempool-reads.ts';
import { amount, feeRate, unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS } from '../../../chain/chain-fields.ts';
import { reads } from '../../declarations.ts';

const NO_FLOORS = { min_fee_rate: null, min_relay_fee_rate: null, incremental_relay_fee_rate: null };

const mempoolSummary = unnamedAnswer(
  {
    count: z.int(),
    vbytes: z.int(),
    total_fees: amount.nullable(),
    min_fee_rate: feeRate.nullable().meta({ description: 'What a transaction must pay to get in now, sat/vB' }),
    min_relay_fee_rate: feeRate.nullable(),
    incremental_relay_fee_rate: feeRate.nullable(),
    fee_histogram: z.array(z.object({ fee_rate: feeRate, vbytes: z.int() })).nullable(),
  },
  ({ floorsAssumed, histogram }: Awaited<ReturnType<MempoolReads['summary']>>) => ({
    ...(floorsAssumed === true && NO_FLOORS),
    fee_histogram: histogram?.map(({ from, vsize }) => ({ fee_rate: formatFeeRate(from), vbytes: vsize })) ?? null,
  }),
);

export const getMempool = (mempool: MempoolReads) =>
  operation({
    ...reads('Bitcoin', 'mempool'),
    id: 'mempool.get',
    path: '/api/v1/bitcoin/mempool',
    summary: 'The mempool: size, floors, fees, and how much waits at which feerate',
    description:
      '`fee_histogram` goes by descending feerate; a bucket holds what pays at least `fee_rate` and less than the bucket before. A ' +
      'transaction that a child pays for counts at the feerate of both, as a miner takes them (an Esplora server counts each alone). ' +
      'null where the source does not tell, or is still being asked for a large mempool. Floors are null where the source does not ' +
      'tell its own. The source is asked once a second, however many ask here.',
    success: {
      status: 200,
      description: 'The mempool',
      answer: mempoolSummary,
    },
    errors: [...CHAIN_ERRORS],
    example: {
      response: {
        count: 2,
        vbytes: 282,
        total_fees: '0.00002820',
        min_fee_rate: '0.1',
        min_relay_fee_rate: '0.1',
        incremental_relay_fee_rate: '0.1',
        fee_histogram: [
          { fee_rate: '15', vbytes: 141 },
          { fee_rate: '4', vbytes: 141 },
        ],
      },
    },
    run: () => mempool.summary(),
  });
