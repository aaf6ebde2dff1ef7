import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { newPasswordField, passwordField } from '../../users/user-fields.ts';
import { exchange, NO_STORE, totpField } from './auth-fields.ts';
import { tokens, tokensExample } from './tokens-answer.ts';

const nameField = z.string().min(1, 'must not be empty').max(254, 'must have at most 254 characters');

const body = z
  .strictObject({
    username: nameField.optional(),
    email: nameField.optional(),
    password: passwordField.optional(),
    reset_token: z
      .string()
      .min(1, 'must not be empty')
      .max(200, 'is longer than any reset token')
      .optional()
      .meta({ description: 'Of a one-time link, with new_password, in the place of name and password' }),
    new_password: newPasswordField.optional(),
    totp: totpField.optional(),
  })
  .superRefine(({ username, email, password, reset_token: reset, new_password: fresh }, context) => {
    const issue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (reset !== undefined || fresh !== undefined) {
      if (reset === undefined) issue('reset_token', 'is missing: new_password goes with the token of a one-time link');
      if (fresh === undefined) issue('new_password', 'is missing: it is what the one-time link sets');
      if (password !== undefined) issue('password', 'does not go with a reset_token');
      if (username !== undefined) issue('username', 'does not go with a reset_token');
      if (email !== undefined) issue('email', 'does not go with a reset_token');
      return;
    }
    if (username === undefined && email === undefined) issue('username', 'is missing: send username or email');
    if (username !== undefined && email !== undefined) issue('email', 'does not go with a username: send either');
    if (password === undefined) issue('password', 'is missing');
  });

export const loginAuth = (login: UserServices['login']) =>
  operation({
    ...exchange,
    id: 'auth.login',
    bindsSignature: true,
    path: '/api/v1/auth/login',
    summary: 'Log in',
    description:
      'With username or email and password, or with the reset_token of a one-time link and new_password. Signed by a key enrolled for ' +
      'the person (RFC 9421), the access token may make changes that this key signs; unsigned, it reads. With a second factor, ' +
      'totp is needed: the refusal has the code totp_required.',
    body,
    success: { status: 200, answer: tokens, headers: NO_STORE, description: 'Tokens, and who they stand for' },
    errors: ['unauthorized', 'totp_required', 'forbidden', 'rate_limited', 'unavailable'],
    example: { body: { username: 'ada', password: 'correct horse battery staple' }, response: tokensExample },
    run: (
      { body: { username, email, password = '', reset_token: resetToken, new_password: fresh = '', totp } },
      context,
    ) =>
      resetToken === undefined
        ? login.withPassword({ name: username ?? email ?? '', password, totp }, context)
        : login.withReset({ resetToken, newPassword: fresh, totp }, context),
  });
