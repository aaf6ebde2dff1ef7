import { credentialWarnings } from '../../../core/scope-roles.ts';
import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { createdUser, user, userExample } from '../../users/user-answer.ts';
import { emailField } from '../../users/user-fields.ts';
import { userForm } from './user-forms.ts';

export const createUserResource = (users: UserService) =>
  operation({
    id: 'user-resource.create',
    family: 'd',
    method: 'POST',
    path: '/api/v1/user',
    summary: 'Make a user of the account',
    description:
      'As POST /api/v1/users, by {username, email, password} or {name, email}. Left out: username is made of the address, the password is ' +
      'set by a one-time link in the answer, role is viewer, scopes are none.',
    tag: 'Resources',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin' },
    changesRules: user,
    secretAnswer: true,
    secretBody: true,
    body: userForm({ email: emailField }),
    success: { status: 201, answer: createdUser, description: 'The user' },
    errors: ['already_exists', 'unavailable'],
    example: {
      body: { username: 'grace', email: 'grace@example.com', password: 'correct horse battery staple' },
      response: {
        ...{ ...userExample, username: 'grace', email: 'grace@example.com', name: null, role: 'viewer', scopes: [] },
        ...{ last_login_at: null, invitation: null },
        warnings: credentialWarnings({ role: 'viewer', scopes: [], requireSignature: true }, 'user'),
      },
    },
    run({ body: { username = null, email, name = null, password = null, role, scopes = [] } }, context) {
      const user = { username, email, name, password, role, scopes };
      return users.create({ ...user, publicKey: null, disabled: false }, context);
    },
  });
