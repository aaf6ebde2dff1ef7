import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ScreenedDeposits } from '../../../services/screening/screened-deposits.ts';
import { txidField } from '../../fields.ts';
import { depositExample, screenedDeposit } from './screened-deposit-answer.ts';
import { writing } from './screening-list-answer.ts';

export const releaseScreenedDeposit = (deposits: ScreenedDeposits) =>
  operation({
    ...writing,
    changesRules: screenedDeposit,
    id: 'screened-deposit.release',
    method: 'POST',
    path: '/api/v1/compliance/screened-deposits/{txid}/release',
    summary: 'Release a deposit that is frozen for a screening list',
    description: 'Its coins, and no others, may be spent then, until another list has one of its payers.',
    params: z.strictObject({ txid: txidField }),
    success: { status: 200, answer: screenedDeposit, description: 'The deposit as it is now' },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { txid: depositExample.txid },
      response: { ...depositExample, status: 'released' as const },
    },
    run: ({ params }, context) => deposits.release(params.txid, context),
  });
