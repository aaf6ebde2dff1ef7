import { operation } from '../../../hooks/operation.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { account, accountExample, accountParams } from './account-answer.ts';

export const unfreezeAccount = (accounts: AccountManagement) =>
  operation({
    id: 'account.unfreeze',
    family: 'c',
    method: 'POST',
    path: '/api/v1/accounts/{account_id}/unfreeze',
    summary: 'Let a frozen account go on',
    tag: 'Accounts',
    effect: 'write',
    access: { scope: 'accounts:write', role: 'admin', platform: true },
    changesRules: false,
    params: accountParams,
    success: { status: 200, answer: account, description: 'The account' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { account_id: accountExample.account_id }, response: accountExample },
    run: ({ params }, context) => accounts.unfreeze(params.account_id, context),
  });
