import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { userExample, userParams } from '../../users/user-answer.ts';

export const deleteUserResource = (users: UserService) =>
  operation({
    id: 'user-resource.delete',
    family: 'd',
    method: 'DELETE',
    path: '/api/v1/user/{user_id}',
    summary: 'Deactivate a user',
    description:
      'By an administrator who has the role and scopes that they have and had. Sessions end at once and the person logs in no more; record, ' +
      'names and audit trail stay. PUT /api/v1/users/{user_id} with disabled: false lets them in again, DELETE there frees the names.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin' },
    changesRules: false,
    params: userParams,
    success: { status: 204, schema: z.undefined(), description: 'Deactivated' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { user_id: userExample.user_id } },
    run: ({ params }, context) => users.deactivate(params.user_id, context),
    present: () => undefined,
  });
