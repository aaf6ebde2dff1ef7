import { z } from 'zod';
import { foldLoginName } from '../../../core/users/login-name.ts';
import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { roleField } from '../credential-fields.ts';
import { user, userExample } from './user-answer.ts';

export const listUser = (users: UserService) =>
  operation({
    id: 'user.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/users',
    summary: 'Users of the account',
    tag: 'Users',
    effect: 'read',
    access: { scope: 'users:read', role: 'admin' },
    query: z.strictObject({
      ...pageQuery,
      role: roleField.optional(),
      disabled: booleanQuery.optional(),
      username: z.string().min(1).max(254).optional(),
      email: z.string().min(1).max(254).optional(),
    }),
    success: { status: 200, answer: paginated(user), description: 'A page of users, newest first' },
    example: {
      query: { limit: '20', offset: '0' },
      response: pageExample(userExample),
    },
    run: ({ query: { role, disabled, username, email, ...page } }, context) => {
      const name = username ?? email;
      const loginName = name === undefined ? undefined : foldLoginName(name);
      return users.list(omitUndefined({ role, disabled, loginName }), pageOf(page), context);
    },
  });
