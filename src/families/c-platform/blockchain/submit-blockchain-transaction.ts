import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { TransactionSubmission } from '../../../services/blockchain/submit-transactions.ts';
import { amount, unnamedAnswer } from '../../answer.ts';
import { CHAIN_ERRORS, hashAnswer } from '../../chain/chain-fields.ts';
import { maxBurnField, rawTransactionField } from '../../chain/raw-transaction-field.ts';
import { paymentHex, paymentTxid } from '../../chain/transaction-form.ts';
import { feeCeilingField, feeCeilingOf } from '../../fields.ts';

const body = z
  .strictObject({
    raw: rawTransactionField.optional(),
    psbt: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .meta({
        description: 'In the place of `raw`: a PSBT whose inputs are all final, of version 0 or 2, base64 or hex',
      })
      .optional(),
    max_fee_rate: feeCeilingField,
    max_burn_amount: maxBurnField,
  })
  .refine(({ raw, psbt }) => (raw === undefined) !== (psbt === undefined), {
    path: ['raw'],
    message: 'must be given, or psbt in its place, and not both',
  });

export const submitBlockchainTransaction = (submission: Pick<TransactionSubmission, 'broadcast'>) =>
  operation({
    id: 'blockchain-transaction.submit',
    family: 'c',
    method: 'POST',
    path: '/api/v1/blockchain/transaction',
    summary: 'Broadcast a signed transaction',
    description:
      "One that the node has already is answered the same: sending again is safe. 422 carries the node's reason. Nothing is kept of it: payments of wallets here " +
      'are made by POST /api/v1/transactions, which broadcasts them again until a node accepts them. The sample’s transaction spends a coin that ' +
      'is on no chain (422): send one of yours.',
    tag: 'Blockchain',
    effect: 'write',
    spends: [],
    changesRules: false,
    access: { scope: 'blockchain:write', role: 'operator' },
    body,
    success: {
      status: 200,
      description: 'The node has it',
      answer: unnamedAnswer({
        txid: hashAnswer,
        status: z.enum(['broadcast', 'confirmed']),
        wtxid: hashAnswer,
        fee: amount.nullable().meta({ description: 'null where it is in no mempool, or the source does not say' }),
        vsize: z.int(),
      }),
    },
    errors: [
      ...(['invalid_value', 'invalid_transaction', 'invalid_psbt', 'psbt_incomplete'] as const),
      ...(['policy_refused', 'fee_too_high', 'too_large', ...CHAIN_ERRORS] as const),
    ],
    example: {
      body: { raw: paymentHex, max_fee_rate: '200' },
      response: {
        txid: paymentTxid,
        status: 'broadcast' as const,
        wtxid: '680f483b2bf6c5dcbf111e69e885ba248a41a5e92070cfb0afec3cfc49a9fabb',
        fee: '0.00003400',
        vsize: 170,
      },
    },
    run: ({ body: { raw, psbt, max_fee_rate: ceiling, max_burn_amount: maxBurnSats = 0n } }, context) =>
      submission.broadcast(context, {
        ...(psbt === undefined ? { transaction: raw ?? '', field: 'raw' } : { transaction: psbt, field: 'psbt' }),
        ...{ maxFeeRate: feeCeilingOf(ceiling), maxBurnSats },
      }),
  });
