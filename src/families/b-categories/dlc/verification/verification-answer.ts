import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { ROUNDING_TOLERANCE_SATS } from '../../../../core/dlc/outcomes/rounding-tolerance.ts';
import type { ContractVerification } from '../../../../services/contracts/contract-service.ts';
import { amountAnswer, namedObject } from '../../../fields.ts';

export const verificationAnswer = namedObject('ContractVerification', {
  valid: z.boolean().meta({ description: 'No check failed' }),
  rounding_tolerance: amountAnswer.meta({
    description:
      'By so much less than agreed a CET may pay us whose signature passes, where outcomes are numbers (least_offer_payout, least_accept_payout of the payouts)',
  }),
  checks: z.array(
    z.object({
      check: z.string().meta({ description: 'What was looked at: cet_adaptor_signatures, funding_inputs, …' }),
      verdict: z.enum(['passed', 'failed', 'skipped']),
      message: z.enum(['offer', 'accept', 'sign', 'close']).nullable().meta({ description: 'In which message' }),
      index: z.int().nullable().meta({ description: 'Of the first one that failed, where there are many' }),
      reason: z.string().nullable().meta({ description: 'Why it failed or was skipped' }),
    }),
  ),
});

export const presentVerification = ({ valid, checks }: ContractVerification): z.input<typeof verificationAnswer> => ({
  valid,
  rounding_tolerance: formatBtc(ROUNDING_TOLERANCE_SATS),
  checks: checks.map(({ check, verdict, message, index, reason }) => ({ check, verdict, message, index, reason })),
});

export const verificationExample: z.input<typeof verificationAnswer> = {
  valid: false,
  rounding_tolerance: '0.00000001',
  checks: [
    { check: 'announcements', verdict: 'passed', message: 'offer', index: null, reason: null },
    {
      check: 'cet_adaptor_signatures',
      verdict: 'failed',
      message: 'accept',
      index: 17,
      reason: 'adaptor signature 17 does not verify',
    },
  ],
};
