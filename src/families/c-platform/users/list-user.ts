import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageOf } from '../../optional-values.ts';
import { user, userExample } from '../../users/user-answer.ts';
import { userFilterOf, userQuery } from '../../users/user-filter.ts';

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
    query: userQuery,
    success: { status: 200, answer: paginated(user), description: 'A page of users, newest first' },
    example: {
      query: { limit: '20', offset: '0' },
      response: pageExample(userExample),
    },
    run: ({ query }, context) => users.list(userFilterOf(query), pageOf(query), context),
  });
