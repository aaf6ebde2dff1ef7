import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { termsOf } from '../../../contracts/contract-fields.ts';
import { COMPUTED } from '../message-fields.ts';
import { contractPayouts, payoutsExample, TERMS_ERRORS, termsBody, termsExample } from './payout-answer.ts';

export const previewContract = (contracts: Pick<ContractService, 'payouts'>) =>
  operation({
    ...COMPUTED,
    id: 'contract.preview',
    path: '/api/v1/dlc/payouts/preview',
    summary: 'What terms would pay, by outcome',
    description:
      'The terms as POST /api/v1/contracts takes them, without the sides. Nothing is announced, held or kept.',
    body: termsBody,
    success: { status: 200, answer: contractPayouts, description: 'A table for each event' },
    errors: [...TERMS_ERRORS],
    example: { body: termsExample, response: payoutsExample },
    run: ({ body }, context) => contracts.payouts({ terms: termsOf(body) }, context),
  });
