import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { user, userExample, userParams } from '../../users/user-answer.ts';

export const getUserResource = (users: UserService) =>
  operation({
    id: 'user-resource.get',
    family: 'd',
    method: 'GET',
    path: '/api/v1/user/{user_id}',
    summary: 'A user of the account',
    tag: 'Resources',
    effect: 'read',
    access: { scope: 'users:read', role: 'admin', own: 'user_id' },
    params: userParams,
    success: { status: 200, answer: user, description: 'The user' },
    errors: ['not_found'],
    example: { params: { user_id: userExample.user_id }, response: userExample },
    run: ({ params }, context) => users.get(params.user_id, context),
  });
