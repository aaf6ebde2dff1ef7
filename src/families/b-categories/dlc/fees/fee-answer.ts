import { z } from 'zod';
import type { StressedTransaction } from '../../../../core/dlc/contract/fee-stress.ts';
import { type FeeRate, parseFeeRate } from '../../../../core/fee-rate.ts';
import { amount, answer, feeRate, unnamedAnswer } from '../../../answer.ts';
import { feeRateField } from '../../../fields.ts';

const MAX_RATES = 20;
export const DEFAULT_RATES: readonly FeeRate[] = ['1', '2', '5', '10', '20', '50', '100', '200', '500'].map(
  parseFeeRate,
);

export const feeRatesField = z
  .array(feeRateField)
  .min(1, 'must have at least one feerate')
  .max(MAX_RATES, `must have at most ${MAX_RATES} feerates`)
  .optional()
  .meta({ description: 'sat/vB. Default: 1 to 500', examples: [['2', '20', '200']] });

const stressed = unnamedAnswer(
  {
    kind: z.enum(['funding', 'cet', 'refund']),
    offer_payout: amount.nullable().meta({ description: 'Of a CET: what it pays the offerer' }),
    outcomes: z.int().nullable().meta({ description: 'How many adaptor signatures are for this CET' }),
    fee: amount,
    vsize: z.int().meta({ description: 'At most' }),
    fee_rate: feeRate,
    children: z.array(
      z.object({
        fee_rate: feeRate,
        child_fee: amount.nullable().meta({
          description:
            'What a child of one input and one output must pay so that both together pay the rate; null where none is needed',
        }),
      }),
    ),
  },
  ({ caseCount }: StressedTransaction) => ({ outcomes: caseCount }),
);

export const contractFees = answer(
  'ContractFees',
  { transactions: z.array(stressed.schema) },
  (transactions: readonly StressedTransaction[]) => ({ transactions: transactions.map(stressed.present) }),
);

export const feesExample: z.input<typeof contractFees.schema> = {
  transactions: [
    {
      kind: 'cet',
      offer_payout: '0.01000000',
      outcomes: 1,
      fee: '0.00000340',
      vsize: 139,
      fee_rate: '2.446',
      children: [
        { fee_rate: '2', child_fee: null },
        { fee_rate: '20', child_fee: '0.00004640' },
      ],
    },
  ],
};
