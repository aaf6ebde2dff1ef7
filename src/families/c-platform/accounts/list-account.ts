import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { AccountManagement } from '../../../services/credentials/manage-accounts.ts';
import { booleanQuery, nameField, pageQuery, paginationAnswer, presentPage } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { accountAnswer, accountExample, presentAccount } from './account-answer.ts';

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
    success: { status: 200, schema: paginationAnswer(accountAnswer), description: 'A page of accounts, newest first' },
    example: {
      query: { limit: '20' },
      response: {
        data: [accountExample],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ query: { name, frozen, ...page } }) => accounts.page(omitUndefined({ name, frozen }), pageOf(page)),
    present: (page) => presentPage(page, presentAccount),
  });
