/** A user on the wire. Nothing of a password or a second factor but that there is one. */
import { z } from 'zod';
import { ROLES, TIERS } from '../../../core/access.ts';
import { credentialWarnings, scopeWarnings } from '../../../core/scope-roles.ts';
import type { CreatedUser, ResetLink, UserRecord } from '../../../services/users/index.ts';
import { idField, namedObject, timeAnswer } from '../../fields.ts';
import { mayGrantField, timeOrNull, warningsAnswer } from '../credential-fields.ts';

export const userParams = z.strictObject({ user_id: idField('usr') });

export const userAnswer = namedObject('User', {
  user_id: z.string(),
  username: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(ROLES),
  scopes: z.array(z.string()),
  tier: z.enum(TIERS),
  expires_at: timeAnswer.nullable().meta({ description: 'When the person is let in no more' }),
  allowed_ips: z.array(z.string()).nullable(),
  may_grant: mayGrantField,
  disabled: z.boolean(),
  has_password: z.boolean().meta({ description: 'false until the person has followed a one-time link' }),
  totp_enabled: z.boolean(),
  last_login_at: timeAnswer.nullable(),
  created_at: timeAnswer,
  updated_at: timeAnswer,
});

export const presentUser = (user: UserRecord): z.output<typeof userAnswer> => ({
  user_id: user.userId,
  username: user.username,
  email: user.email,
  name: user.name,
  role: user.role,
  scopes: [...user.scopes],
  tier: user.tier,
  expires_at: timeOrNull(user.expiresAt),
  allowed_ips: user.allowedIps === null ? null : [...user.allowedIps],
  may_grant: user.mayGrant,
  disabled: user.disabledAt !== null,
  has_password: user.passwordHash !== null,
  totp_enabled: user.totpConfirmedAt !== null,
  last_login_at: timeOrNull(user.lastLoginAt),
  created_at: new Date(user.createdAt).toISOString(),
  updated_at: new Date(user.updatedAt).toISOString(),
});

export const userExample = {
  user_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  username: 'ada',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  role: 'operator' as const,
  scopes: ['wallets:read', 'transactions:write'],
  tier: 'standard' as const,
  expires_at: null,
  allowed_ips: null,
  may_grant: false,
  disabled: false,
  has_password: true,
  totp_enabled: false,
  last_login_at: '2026-11-20T10:00:00.000Z',
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

export const resetAnswer = namedObject('ResetLink', {
  reset_token: z.string().meta({ description: 'Answered once. POST /api/v1/auth/login takes it with new_password' }),
  reset_link: z.string().meta({ description: 'A page that asks for the new password; for the person alone' }),
  expires_at: timeAnswer,
});

export const presentReset = ({ token, link, expiresAt }: ResetLink): z.output<typeof resetAnswer> => ({
  reset_token: token,
  reset_link: link,
  expires_at: new Date(expiresAt).toISOString(),
});

export const resetExample = {
  reset_token: 'pr_0000000000000000000000000000000000000000000',
  reset_link: 'https://api.example.com/docs/password-reset#token=pr_0000000000000000000000000000000000000000000',
  expires_at: '2026-11-21T09:00:00.000Z',
};

/** Of a user that is made or changed. */
export const writtenUserAnswer = namedObject('WrittenUser', { ...userAnswer.shape, warnings: warningsAnswer });

export const presentWrittenUser = (user: UserRecord): z.output<typeof writtenUserAnswer> => ({
  ...presentUser(user),
  warnings: scopeWarnings(user),
});

export const createdUserAnswer = namedObject('CreatedUser', {
  ...writtenUserAnswer.shape,
  invitation: resetAnswer
    .nullable()
    .meta({ description: 'Where no password was given: the one-time link with which the person sets one' }),
});

export const presentCreatedUser = ({ user, signs, invitation }: CreatedUser): z.output<typeof createdUserAnswer> => ({
  ...presentUser(user),
  warnings: credentialWarnings({ ...user, requireSignature: true }, signs ? null : 'user'),
  invitation: invitation === null ? null : presentReset(invitation),
});
