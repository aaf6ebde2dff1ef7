import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { feeRateOf, formatFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { MempoolReads } from '../../../../services/blockchain/mempool-reads.ts';
import { amountAnswer, feeRateAnswer, timeAnswer, txidField } from '../../../fields.ts';
import { reads } from '../../declarations.ts';
import { CHAIN_ERRORS, hashAnswer } from '../chain-fields.ts';

const familyAnswer = z
  .object({
    count: z.int(),
    vsize: z.int(),
    fees: amountAnswer,
    fee_rate: feeRateAnswer,
    txids: z.array(hashAnswer).meta({ description: 'Without itself' }),
  })
  .meta({ id: 'MempoolFamily', description: 'Counts and sums include the transaction itself' });

const TXID = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';
const familyExample = { count: 1, vsize: 141, fees: '0.00000282', fee_rate: '2', txids: [] };

const family = (count: number, vsize: number, feesSats: bigint, txids: readonly string[]) => ({
  count,
  vsize,
  fees: formatBtc(feesSats),
  fee_rate: formatFeeRate(feeRateOf(feesSats, vsize)),
  txids,
});

export const getMempoolTransaction = (mempool: MempoolReads) =>
  operation({
    ...reads('Bitcoin', 'mempool'),
    id: 'mempool-transaction.get',
    path: '/api/v1/bitcoin/mempool/transactions/{txid}',
    summary: 'A waiting transaction with its unconfirmed ancestors and descendants',
    description: 'The transaction itself, decoded: GET /api/v1/bitcoin/transactions/{txid}. 404 once it is in a block.',
    params: z.strictObject({ txid: txidField }),
    success: {
      status: 200,
      description: 'The entry',
      schema: z.object({
        txid: hashAnswer,
        vsize: z.int(),
        fee: amountAnswer,
        fee_rate: feeRateAnswer.meta({ description: 'Its own, sat/vB' }),
        first_seen: timeAnswer.nullable().meta({ description: 'By the node; null where the source does not say' }),
        ancestors: familyAnswer,
        descendants: familyAnswer,
      }),
    },
    errors: ['not_found', ...CHAIN_ERRORS],
    example: {
      params: { txid: TXID },
      response: {
        txid: TXID,
        vsize: 141,
        fee: '0.00000282',
        fee_rate: '2',
        first_seen: '2026-11-20T10:00:00.000Z',
        ancestors: familyExample,
        descendants: familyExample,
      },
    },
    run: ({ params }) => mempool.entry(params.txid),
    present: (entry) => ({
      txid: entry.txid,
      vsize: entry.vsize,
      fee: formatBtc(entry.feeSats),
      fee_rate: formatFeeRate(feeRateOf(entry.feeSats, entry.vsize)),
      first_seen: entry.time === null ? null : new Date(entry.time * 1000).toISOString(),
      ancestors: family(entry.ancestorCount, entry.ancestorVsize, entry.ancestorFeesSats, entry.ancestors),
      descendants: family(entry.descendantCount, entry.descendantVsize, entry.descendantFeesSats, entry.descendants),
    }),
  });
