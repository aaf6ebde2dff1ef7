import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { ROUNDING_TOLERANCE_SATS } from '../../../../core/dlc/outcomes/rounding-tolerance.ts';
import type { ContractVerification } from '../../../../services/contracts/contract-service.ts';
import { amount, answer } from '../../../answer.ts';

export const contractVerification = answer(
  'ContractVerification',
  {
    valid: z.boolean().meta({ description: 'No check failed' }),
    rounding_tolerance: amount.meta({
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
  },
  (_: ContractVerification) => ({ rounding_tolerance: formatBtc(ROUNDING_TOLERANCE_SATS) }),
);

export const verificationExample: z.input<typeof contractVerification.schema> = {
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
