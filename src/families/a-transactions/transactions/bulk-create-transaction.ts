import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import type { FeeChoice, FeeRate } from '../../../core/fee-rate.ts';
import { operation } from '../../../hooks/operation.ts';
import { errorBody, refusalOf } from '../../../hooks/refusals/errors.ts';
import type { PayeeAddresses } from '../../../services/address-book/payees.ts';
import type { ChooseFeeRate } from '../../../services/fees/choose-fee-rate.ts';
import type { BulkOutcome, TransactionService } from '../../../services/transactions/transaction-service.ts';
import { namedObject } from '../../fields.ts';
import { createdTransaction, transactionExample } from './transaction-answer.ts';
import { bulkBody, dryRunQuery, MAX_BULK_PARTS, toPaymentRequest } from './transaction-requests.ts';

const outcomeError = namedObject('PaymentRefusal', {
  code: z.string(),
  message: z.string(),
  details: z.object({
    field: z.string(),
    reason: z.string().optional(),
    code: z.string(),
    docs: z.string(),
    errors: z.array(z.object({ field: z.string(), reason: z.string() })).optional(),
  }),
});

const bulkAnswer = z.object({
  data: z.array(
    z.object({
      status: z.int().meta({ description: 'The HTTP status this request would have had on its own' }),
      transaction: createdTransaction.schema.nullable(),
      error: outcomeError.nullable(),
    }),
  ),
});

function presentOutcome(outcome: BulkOutcome, index: number): z.input<typeof bulkAnswer>['data'][number] {
  if ('transaction' in outcome) {
    const { transaction } = outcome;
    return {
      status: transaction.preview ? 200 : 201,
      transaction: createdTransaction.present({ ...transaction, psbt: null }),
      error: null,
    };
  }
  const { refusal } = refusalOf(outcome.refusal);
  const within = (field: string): string => `transactions[${index}]${field === '' ? '' : `.${field}`}`;
  const errors = refusal.errors?.map(({ field, reason }) => ({ field: within(field), reason }));
  const { error } = errorBody('a', { ...refusal, field: within(refusal.field), errors }) as {
    error: z.input<typeof outcomeError>;
  };
  return { status: refusal.status, transaction: null, error };
}

/** What keeps one request from being planned, and no other. */
const OF_ITS_OWN = ['no_fee_estimate', 'not_found', 'state_conflict'] as const;

export const bulkCreateTransaction = (
  transactions: TransactionService,
  chooseFeeRate: ChooseFeeRate,
  payeeAddresses: PayeeAddresses,
) =>
  operation({
    id: 'transaction.bulk-create',
    spends: ['payment', 'psbt'],
    family: 'a',
    method: 'POST',
    path: '/api/v1/transactions/bulk',
    summary: 'Make many transactions in one request',
    description:
      'Each request has its own outcome, in order: one that cannot be made does not keep the others from being made. All that can are ' +
      'committed together with the answer, so a retry never pays twice. A malformed request refuses the whole (400). Together they name ' +
      `at most ${MAX_BULK_PARTS} recipients and coins.`,
    tag: 'Transactions',
    effect: 'write',
    access: { scope: 'transactions:write', role: 'operator' },
    dryRun: true,
    query: dryRunQuery,
    body: bulkBody,
    success: { status: 200, schema: bulkAnswer, description: 'The outcome of each request' },
    errors: ['node_unavailable', 'node_syncing', 'unavailable'],
    example: {
      body: {
        transactions: [
          {
            recipients: [{ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '0.00150000' }],
            fee_rate: '2.5',
            rbf: true,
          },
        ],
      },
      response: { data: [{ status: 201, transaction: transactionExample, error: null }] },
    },
    run: async ({ query, body }, context) => {
      // One question to the node for each target, however many payments name it.
      const rates = new Map<string, Promise<FeeRate>>();
      const rateOf = (choice: FeeChoice): Promise<FeeRate> => {
        const key = typeof choice === 'object' ? `${choice.blocks} blocks` : `${choice}`;
        const rate = rates.get(key) ?? chooseFeeRate(choice);
        rates.set(key, rate);
        return rate;
      };
      const asked = body.transactions.map(async (one) => {
        try {
          const addresses = await payeeAddresses(one.recipients, context);
          return toPaymentRequest(one, addresses, await rateOf(one.fee_rate));
        } catch (error) {
          if (error instanceof DomainError && OF_ITS_OWN.some((code) => code === error.code)) return error;
          throw error;
        }
      });
      return transactions.createBulk(await Promise.all(asked), { dryRun: query.dry_run }, context);
    },
    present: (outcomes) => ({ data: outcomes.map(presentOutcome) }),
  });
