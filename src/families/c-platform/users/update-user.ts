import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import { expiresField, ipsField, mayGrantField, roleField, scopesField, tierField } from '../../credential-fields.ts';
import { nameField } from '../../fields.ts';
import { user, userExample, userParams, writtenUser } from '../../users/user-answer.ts';
import { emailField, newPasswordField, passwordField, usernameField } from '../../users/user-fields.ts';

export const updateUser = (users: UserService) =>
  operation({
    id: 'user.update',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/users/{user_id}',
    summary: 'Replace a user',
    description:
      'By an administrator who has all that the person has and had: the whole record (what is left out is empty or its default; password, ' +
      'expires_at, allowed_ips and may_grant stay). With more rights sessions and one-time links end, and where somebody with less set ' +
      'what the person logs in or signs with, so do signing keys, single sign-on and password. A person may ' +
      'change their own name, and their password with current_password, without a signature, and nothing else of themselves. ' +
      'A new password ends the other sessions.',
    tag: 'Users',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin', own: 'user_id' },
    changesRules: user,
    secretBody: true,
    params: userParams,
    body: z.strictObject({
      username: usernameField.optional().meta({ description: 'Needed of an administrator' }),
      email: emailField.nullable().optional(),
      name: nameField.nullable().optional(),
      role: roleField.optional().meta({ description: 'Needed of an administrator' }),
      scopes: scopesField.optional().meta({ description: 'Needed of an administrator' }),
      tier: tierField.optional(),
      expires_at: expiresField.nullable().optional().meta({ description: 'Left out: unchanged. null: none' }),
      allowed_ips: ipsField.nullable().optional().meta({ description: 'Left out: unchanged. null: from anywhere' }),
      may_grant: mayGrantField.optional(),
      disabled: z.boolean().optional(),
      password: newPasswordField.optional(),
      current_password: passwordField.optional().meta({ description: 'Needed of a person for their own password' }),
    }),
    success: { status: 200, answer: writtenUser, description: 'The user as it is now' },
    errors: ['not_found', 'already_exists', 'state_conflict', 'rate_limited', 'unavailable'],
    example: {
      params: { user_id: userExample.user_id },
      body: {
        username: 'ada',
        email: 'ada@example.com',
        name: 'Ada King',
        role: 'operator',
        scopes: ['wallets:read', 'transactions:write'],
      },
      response: { ...userExample, name: 'Ada King', warnings: [] },
    },
    run: ({ params, body: { current_password: currentPassword, name = null, ...rest } }, context) => {
      const { expires_at: expiresAt, allowed_ips: allowedIps, may_grant: mayGrant, ...same } = rest;
      return users.update(params.user_id, { ...same, name, currentPassword, expiresAt, allowedIps, mayGrant }, context);
    },
  });
