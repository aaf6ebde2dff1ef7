import { z } from 'zod';
import { transactionFromHex } from '../../../../core/blocks/transaction-hex.ts';
import { feeRateOf, formatFeeRate } from '../../../../core/fee-rate.ts';
import { operation } from '../../../../hooks/operation.ts';
import type {
  MempoolAcceptResult,
  TransactionSubmission,
} from '../../../../services/blockchain/submit-transactions.ts';
import { amount, feeRate, unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS, hashAnswer } from '../../../chain/chain-fields.ts';
import { rawTransactionField } from '../../../chain/raw-transaction-field.ts';
import { transactionHex } from '../../../chain/transaction-form.ts';
import { isLargeBody } from '../../../large-body.ts';
import { computes } from '../../declarations.ts';

const MAX_TOGETHER = 25;

const verdict = unnamedAnswer(
  {
    txid: hashAnswer,
    allowed: z.boolean().nullable(),
    known: z.boolean().meta({ description: 'It is in the mempool or in a block already' }),
    reason: z.string().nullable().meta({ description: "The node's words" }),
    vsize: z.int().nullable(),
    fee: amount.nullable(),
    fee_rate: feeRate.nullable(),
  },
  ({ feeSats, vsize }: MempoolAcceptResult) => ({
    fee_rate: feeSats === null || vsize === null ? null : formatFeeRate(feeRateOf(feeSats, vsize)),
  }),
);

const acceptance = unnamedAnswer(
  {
    allowed: z.boolean().meta({ description: 'Whether every one of them is' }),
    data: z.array(verdict.schema),
  },
  (tests: readonly MempoolAcceptResult[]) => ({
    allowed: tests.every(({ allowed }) => allowed === true),
    data: tests.map(verdict.present),
  }),
);

/** `submission` is null in a worker, which reads the transactions and asks. */
export const testChainTransaction = (submission: Pick<TransactionSubmission, 'test'> | null) =>
  operation({
    ...computes('Bitcoin', 'transactions'),
    id: 'chain-transaction.test',
    path: '/api/v1/bitcoin/transactions/test-acceptance',
    summary: 'What the mempool would say of transactions, without sending them',
    description:
      `One \`transaction\`, or up to ${MAX_TOGETHER} \`transactions\` that may spend from one another, parents before children; each pays ` +
      'its own way. Where one is refused, the others may be left unjudged (`allowed` null). Fees are not capped here.',
    body: z
      .strictObject({
        transaction: rawTransactionField.optional(),
        transactions: z
          .array(rawTransactionField)
          .min(1, 'must hold at least 1 transaction')
          .max(MAX_TOGETHER, `must hold at most ${MAX_TOGETHER} transactions`)
          .optional()
          .meta({ description: 'Instead of transaction' }),
      })
      .refine(({ transaction, transactions }) => (transaction === undefined) !== (transactions === undefined), {
        path: ['transaction'],
        message: 'is required, or else transactions: one of both',
      }),
    success: {
      status: 200,
      description: 'Verdicts, in the order given',
      answer: acceptance,
    },
    errors: ['invalid_value', 'invalid_transaction', ...CHAIN_ERRORS],
    example: {
      body: { transaction: transactionHex },
      response: {
        allowed: false,
        data: [
          {
            txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
            allowed: false,
            known: false,
            reason: 'coinbase',
            vsize: null,
            fee: null,
            fee_rate: null,
          },
        ],
      },
    },
    inWorker: isLargeBody,
    asks: async ({ transaction, transactions = [] }) =>
      transaction === undefined
        ? transactions.map((hex, index) => transactionFromHex(hex, `transactions[${index}]`).raw)
        : [transactionFromHex(transaction, 'transaction').raw],
    lookUp: async (raws) => submission?.test(raws as Uint8Array[]),
    run: async ({ found }) => found as MempoolAcceptResult[],
  });
