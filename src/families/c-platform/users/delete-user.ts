import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { userExample, userParams } from '../../users/user-answer.ts';

export const deleteUser = (users: UserService) =>
  operation({
    id: 'user.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/users/{user_id}',
    summary: 'Delete a user',
    description:
      'By an administrator who has the role and scopes that they have and had. For good: their sessions and signing keys end at once, and their username and address are free again.',
    tag: 'Users',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin' },
    changesRules: false,
    params: userParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { user_id: userExample.user_id } },
    run: ({ params }, context) => users.delete(params.user_id, context),
    present: () => undefined,
  });
