import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { account, accountExample, accountParams } from './account-answer.ts';

export const freezeAccount = (accounts: AccountManagement) =>
  operation({
    id: 'account.freeze',
    family: 'c',
    method: 'POST',
    path: '/api/v1/accounts/{account_id}/freeze',
    summary: 'Freeze an account',
    description:
      'When this is answered every process of the service refuses to change what is of the account (403); reads go on, and payments that ' +
      'are under way. One that is frozen stays as it is.',
    tag: 'Accounts',
    effect: 'write',
    access: { scope: 'accounts:write', role: 'admin', platform: true },
    changesRules: false,
    params: accountParams,
    body: z
      .strictObject({
        reason: z.string().trim().min(1, 'must not be empty').max(500, 'must have at most 500 characters').optional(),
      })
      .optional(),
    success: { status: 200, answer: account, description: 'The account, frozen' },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { account_id: accountExample.account_id },
      body: { reason: 'ordered by the compliance department' },
      response: {
        ...accountExample,
        frozen: true,
        frozen_at: '2026-11-02T09:30:00.000Z',
        frozen_reason: 'ordered by the compliance department',
      },
    },
    run: ({ params, body }, context) => accounts.freeze(params.account_id, body?.reason ?? null, context),
  });
