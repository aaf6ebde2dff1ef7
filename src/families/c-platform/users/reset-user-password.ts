import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { resetExample, resetLink, user, userExample, userParams } from '../../users/user-answer.ts';

export const resetUserPassword = (users: UserService) =>
  operation({
    id: 'user-password.reset',
    family: 'c',
    method: 'POST',
    path: '/api/v1/users/{user_id}/password-reset',
    summary: 'Make a one-time link for a new password',
    description:
      'By an administrator who has all that they have and had. Good once and for a day; earlier links die. Using it ends every session. A second factor is still asked for. Hand it to the ' +
      'person alone: whoever has it can log in as them.',
    tag: 'Users',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin' },
    changesRules: user,
    secretAnswer: true,
    params: userParams,
    success: { status: 201, answer: resetLink, description: 'The link, this once' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { user_id: userExample.user_id }, response: resetExample },
    run: ({ params }, context) => users.resetPassword(params.user_id, context),
  });
