import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { TransactionSubmission } from '../../../../services/blockchain/submit-transactions.ts';
import { unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS, hashAnswer } from '../../../chain/chain-fields.ts';
import { maxBurnField, rawTransactionField } from '../../../chain/raw-transaction-field.ts';
import { paymentHex, paymentTxid } from '../../../chain/transaction-form.ts';
import { feeCeilingField, feeCeilingOf } from '../../../fields.ts';
import { writes } from '../../declarations.ts';

export const broadcastChainTransaction = (submission: TransactionSubmission) =>
  operation({
    ...writes('Bitcoin', 'transactions'),
    id: 'chain-transaction.broadcast',
    spends: [],
    path: '/api/v1/bitcoin/transactions/broadcast',
    summary: 'Hand a signed transaction to the network',
    description:
      'A transaction that is in the mempool or in a block already is answered with `known: true`: sending again is safe. Above ' +
      "`max_fee_rate` it is refused (default: 10,000 sat/vB, as Bitcoin Core's 0.1 BTC/kvB; `none`: no limit), and where an output " +
      "gives more than `max_burn_amount` to nobody (OP_RETURN and what else can't be spent). 422 carries the node's reason. Where the node is away nothing is kept: send it again. Payments of wallets here are made by POST " +
      '/api/v1/transactions, which broadcasts them again until a node accepts them.',
    body: z.strictObject({
      transaction: rawTransactionField,
      max_fee_rate: feeCeilingField,
      max_burn_amount: maxBurnField,
    }),
    success: {
      status: 200,
      description: 'The node has it',
      answer: unnamedAnswer({
        txid: hashAnswer,
        known: z.boolean().meta({ description: 'It was in the mempool or in a block before' }),
      }),
    },
    errors: ['invalid_value', 'invalid_transaction', 'policy_refused', 'fee_too_high', ...CHAIN_ERRORS],
    example: {
      body: { transaction: paymentHex, max_fee_rate: '200' },
      response: { txid: paymentTxid, known: false },
    },
    run: ({ body }, context) =>
      submission.broadcast(context, {
        transaction: body.transaction,
        maxFeeRate: feeCeilingOf(body.max_fee_rate),
        maxBurnSats: body.max_burn_amount ?? 0n,
      }),
  });
