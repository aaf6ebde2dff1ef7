import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { termsOf } from '../../../contracts/contract-fields.ts';
import { COMPUTED } from '../message-fields.ts';
import { TERMS_ERRORS, termsBody, termsExample } from './payout-answer.ts';

export const drawContract = (contracts: Pick<ContractService, 'picture'>) =>
  operation({
    ...COMPUTED,
    id: 'contract.draw',
    path: '/api/v1/dlc/payouts/picture',
    summary: 'What terms would pay, as a picture',
    description: "An SVG document: the offerer's payout by outcome.",
    body: termsBody,
    success: { status: 200, schema: z.string(), contentType: 'image/svg+xml', description: 'The picture' },
    errors: [...TERMS_ERRORS],
    example: { body: termsExample, response: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>' },
    run: ({ body }, context) => contracts.picture({ terms: termsOf(body) }, context),
    present: (svg) => svg,
  });
