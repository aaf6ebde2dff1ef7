import { operation } from '../../../hooks/operation.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { account, accountExample, accountParams } from './account-answer.ts';

export const getAccount = (accounts: AccountManagement) =>
  operation({
    id: 'account.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/accounts/{account_id}',
    summary: 'One account',
    description: "The caller's own; administrators of the platform see every one.",
    tag: 'Accounts',
    effect: 'read',
    access: { scope: 'accounts:read', role: 'viewer' },
    params: accountParams,
    success: { status: 200, answer: account, description: 'The account' },
    errors: ['not_found'],
    example: { params: { account_id: accountExample.account_id }, response: accountExample },
    run: ({ params }, context) => accounts.get(params.account_id, context),
  });
