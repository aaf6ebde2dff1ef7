import { z } from 'zod';
import type { ContractVerification } from '../../../../services/contracts/contract-service.ts';

export const verificationAnswer = z.object({
  valid: z.boolean().meta({ description: 'No check failed' }),
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
  checks: checks.map(({ check, verdict, message, index, reason }) => ({ check, verdict, message, index, reason })),
});

export const verificationExample: z.input<typeof verificationAnswer> = {
  valid: false,
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
