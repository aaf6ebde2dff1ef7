import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ScreenedDeposits } from '../../../services/screening/screened-deposits.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { depositExample, depositStatus, screenedDeposit } from './screened-deposit-answer.ts';
import { reading } from './screening-list-answer.ts';

export const listScreenedDeposit = (deposits: ScreenedDeposits) =>
  operation({
    ...reading,
    id: 'screened-deposit.list',
    path: '/api/v1/compliance/screened-deposits',
    summary: 'Deposits whose payers are on a screening list',
    query: z.strictObject({ ...pageQuery, status: depositStatus.optional() }),
    success: { status: 200, answer: paginated(screenedDeposit), description: 'A page of deposits, newest first' },
    example: { query: { limit: '20' }, response: pageExample(depositExample) },
    run: ({ query: { status, ...page } }, context) => deposits.page(omitUndefined({ status }), pageOf(page), context),
  });
