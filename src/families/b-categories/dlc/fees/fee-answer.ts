import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import type { StressedTransaction } from '../../../../core/dlc/contract/fee-stress.ts';
import { type FeeRate, formatFeeRate, parseFeeRate } from '../../../../core/fee-rate.ts';
import { amountAnswer, feeRateAnswer, feeRateField, namedObject } from '../../../fields.ts';

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

export const feesAnswer = namedObject('ContractFees', {
  transactions: z.array(
    z.object({
      kind: z.enum(['funding', 'cet', 'refund']),
      offer_payout: amountAnswer.nullable().meta({ description: 'Of a CET: what it pays the offerer' }),
      outcomes: z.int().nullable().meta({ description: 'How many adaptor signatures are for this CET' }),
      fee: amountAnswer,
      vsize: z.int().meta({ description: 'At most' }),
      fee_rate: feeRateAnswer,
      children: z.array(
        z.object({
          fee_rate: feeRateAnswer,
          child_fee: amountAnswer.nullable().meta({
            description:
              'What a child of one input and one output must pay so that both together pay the rate; null where none is needed',
          }),
        }),
      ),
    }),
  ),
});

export const presentFees = (transactions: readonly StressedTransaction[]): z.input<typeof feesAnswer> => ({
  transactions: transactions.map(({ kind, offerPayoutSats, caseCount, feeSats, vsize, feeRate, children }) => ({
    kind,
    offer_payout: offerPayoutSats === null ? null : formatBtc(offerPayoutSats),
    outcomes: caseCount,
    fee: formatBtc(feeSats),
    vsize,
    fee_rate: formatFeeRate(feeRate),
    children: children.map((child) => ({
      fee_rate: formatFeeRate(child.feeRate),
      child_fee: child.childFeeSats === null ? null : formatBtc(child.childFeeSats),
    })),
  })),
});

export const feesExample: z.input<typeof feesAnswer> = {
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
