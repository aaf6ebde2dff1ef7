import { z } from 'zod';
import { feeRateOf, formatFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { MempoolReads } from '../../../../services/blockchain/mempool-reads.ts';
import { amount, feeRate, time, unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS, hashAnswer } from '../../../chain/chain-fields.ts';
import { txidField } from '../../../fields.ts';
import { reads } from '../../declarations.ts';

const family = unnamedAnswer(
  {
    count: z.int(),
    vsize: z.int(),
    fees: amount,
    fee_rate: feeRate,
    txids: z.array(hashAnswer).meta({ description: 'Without itself' }),
  },
  ({ feesSats, vsize }: { feesSats: bigint; vsize: number }) => ({
    fee_rate: formatFeeRate(feeRateOf(feesSats, vsize)),
  }),
);
const familyAnswer = family.schema.meta({
  id: 'MempoolFamily',
  description: 'Counts and sums include the transaction itself',
});

const mempoolTransaction = unnamedAnswer(
  {
    txid: hashAnswer,
    vsize: z.int(),
    fee: amount,
    fee_rate: feeRate.meta({ description: 'Its own, sat/vB' }),
    first_seen: time.nullable().meta({ description: 'By the node; null where the source does not say' }),
    ancestors: familyAnswer,
    descendants: familyAnswer,
  },
  (entry: Awaited<ReturnType<MempoolReads['entry']>>) => ({
    fee_rate: formatFeeRate(feeRateOf(entry.feeSats, entry.vsize)),
    first_seen: entry.time === null ? null : new Date(entry.time * 1000).toISOString(),
    ancestors: family.present({
      count: entry.ancestorCount,
      vsize: entry.ancestorVsize,
      feesSats: entry.ancestorFeesSats,
      txids: entry.ancestors,
    }),
    descendants: family.present({
      count: entry.descendantCount,
      vsize: entry.descendantVsize,
      feesSats: entry.descendantFeesSats,
      txids: entry.descendants,
    }),
  }),
);

const TXID = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';
const familyExample = { count: 1, vsize: 141, fees: '0.00000282', fee_rate: '2', txids: [] };

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
      answer: mempoolTransaction,
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
  });
