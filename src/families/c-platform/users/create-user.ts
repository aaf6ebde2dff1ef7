import { z } from 'zod';
import { credentialWarnings } from '../../../core/scope-roles.ts';
import { operation } from '../../../hooks/operation.ts';
import type { UserService } from '../../../services/users/index.ts';
import {
  expiresField,
  ipsField,
  mayGrantField,
  publicKeyField,
  roleField,
  scopesField,
  tierField,
} from '../../credential-fields.ts';
import { nameField } from '../../fields.ts';
import { createdUser, user, userExample } from '../../users/user-answer.ts';
import { emailField, newPasswordField, usernameField } from '../../users/user-fields.ts';

export const createUser = (users: UserService) =>
  operation({
    id: 'user.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/users',
    summary: 'Make a user of the account',
    description:
      'Without a password the answer holds a one-time link with which the person sets one. expires_at and allowed_ips that are left out ' +
      'are those of the caller. Only a caller with may_grant can give more rights than its own. With public_key the person can sign ' +
      'logins, and make changes afterwards.',
    tag: 'Users',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin' },
    changesRules: user,
    secretAnswer: true,
    secretBody: true,
    body: z.strictObject({
      username: usernameField,
      email: emailField.nullable().optional(),
      name: nameField.nullable().optional(),
      role: roleField.optional().meta({ description: 'Default: viewer' }),
      scopes: scopesField,
      tier: tierField.optional().meta({ description: "Default: standard. At most the account's" }),
      expires_at: expiresField.optional(),
      allowed_ips: ipsField.optional(),
      may_grant: mayGrantField.optional(),
      password: newPasswordField.optional(),
      public_key: publicKeyField.optional(),
      disabled: z.boolean().optional(),
    }),
    success: { status: 201, answer: createdUser, description: 'The user' },
    errors: ['already_exists', 'unavailable'],
    example: {
      body: {
        username: 'ada',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        role: 'operator',
        scopes: ['wallets:read', 'transactions:write'],
        password: 'correct horse battery staple',
      },
      response: {
        ...userExample,
        ...{ last_login_at: null, invitation: null },
        warnings: credentialWarnings({ ...userExample, requireSignature: true }, 'user'),
      },
    },
    run: ({ body }, context) =>
      users.create(
        {
          username: body.username,
          email: body.email ?? null,
          name: body.name ?? null,
          role: body.role,
          scopes: body.scopes,
          tier: body.tier,
          expiresAt: body.expires_at,
          allowedIps: body.allowed_ips,
          mayGrant: body.may_grant,
          password: body.password ?? null,
          publicKey: body.public_key ?? null,
          disabled: body.disabled ?? false,
        },
        context,
      ),
  });
