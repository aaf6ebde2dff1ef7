import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { user, userExample, userParams, writtenUser } from '../../users/user-answer.ts';
import { emailField, passwordField } from '../../users/user-fields.ts';
import { userForm } from './user-forms.ts';

export const updateUserResource = (users: UserService) =>
  operation({
    id: 'user-resource.update',
    family: 'd',
    method: 'PUT',
    path: '/api/v1/user/{user_id}',
    summary: 'Replace a user',
    description:
      'As PUT /api/v1/users/{user_id}, by either form: what is left out stays, as does what this does not show.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin', own: 'user_id' },
    changesRules: user,
    secretBody: true,
    params: userParams,
    body: userForm({
      email: emailField.optional(),
      current_password: passwordField.optional().meta({ description: 'Needed of a person for their own password' }),
    }),
    success: { status: 200, answer: writtenUser, description: 'The user as it is now' },
    errors: ['not_found', 'already_exists', 'state_conflict', 'rate_limited', 'unavailable'],
    example: {
      params: { user_id: userExample.user_id },
      body: { name: 'Ada King', email: 'ada@example.com' },
      response: { ...userExample, name: 'Ada King', warnings: [] },
    },
    run: ({ params, body: { current_password: currentPassword, ...given } }, context) =>
      users.update(params.user_id, { ...given, currentPassword, keeps: true }, context),
  });
