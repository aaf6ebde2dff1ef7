import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { user, userExample, userParams } from '../../users/user-answer.ts';

export const removeUserTotp = (secondFactors: UserServices['secondFactors']) =>
  operation({
    id: 'user-totp.remove',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/users/{user_id}/totp',
    summary: "Take away a user's second factor",
    description: 'For who has lost the app and the recovery codes. Ends their sessions.',
    tag: 'Users',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin' },
    changesRules: user,
    params: userParams,
    success: { status: 204, schema: z.undefined(), description: 'Taken away' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { user_id: userExample.user_id } },
    run: ({ params }, context) => secondFactors.removeFrom(params.user_id, context),
    present: () => undefined,
  });
