import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, nameField, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { account, accountExample } from './account-answer.ts';

export const listAccount = (accounts: AccountManagement) =>
  operation({
    id: 'account.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/accounts',
    summary: 'All accounts',
    tag: 'Accounts',
    effect: 'read',
    access: { scope: 'accounts:read', role: 'admin', platform: true },
    query: z.strictObject({ ...pageQuery, name: nameField.optional(), frozen: booleanQuery.optional() }),
    success: { status: 200, answer: paginated(account), description: 'A page of accounts, newest first' },
    example: {
      query: { limit: '20' },
      response: pageExample(accountExample),
    },
    run: ({ query: { name, frozen, ...page } }) => accounts.page(omitUndefined({ name, frozen }), pageOf(page)),
  });
