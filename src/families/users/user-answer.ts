/** A user on the wire. Nothing of a password or a second factor but that there is one. */
import { z } from 'zod';
import { ROLES, TIERS } from '../../core/access.ts';
import { credentialWarnings, scopeWarnings } from '../../core/scope-roles.ts';
import type { CreatedUser, ResetLink, UserRecord } from '../../services/users/index.ts';
import { answer, time } from '../answer.ts';
import { mayGrantField, warningsAnswer } from '../credential-fields.ts';
import { idField } from '../fields.ts';

export const userParams = z.strictObject({ user_id: idField('usr') });

export const user = answer(
  'User',
  {
    user_id: z.string(),
    username: z.string(),
    email: z.string().nullable(),
    email_verified: z.boolean().meta({ description: 'The person has confirmed `email`' }),
    name: z.string().nullable(),
    role: z.enum(ROLES),
    scopes: z.array(z.string()),
    tier: z.enum(TIERS),
    expires_at: time.nullable().meta({ description: 'When the person is let in no more' }),
    allowed_ips: z.array(z.string()).nullable(),
    may_grant: mayGrantField,
    disabled: z.boolean(),
    has_password: z.boolean().meta({ description: 'false until the person has followed a one-time link' }),
    totp_enabled: z.boolean(),
    last_login_at: time.nullable(),
    created_at: time,
    updated_at: time,
  },
  ({ emailVerifiedAt, disabledAt, passwordHash, totpConfirmedAt }: UserRecord) => ({
    email_verified: emailVerifiedAt !== null,
    disabled: disabledAt !== null,
    has_password: passwordHash !== null,
    totp_enabled: totpConfirmedAt !== null,
  }),
);

export const userExample = {
  user_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  username: 'ada',
  email: 'ada@example.com',
  email_verified: true,
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

export const resetLink = answer(
  'ResetLink',
  {
    reset_token: z.string().meta({ description: 'Answered once. POST /api/v1/auth/login takes it with new_password' }),
    reset_link: z.string().meta({ description: 'A page that asks for the new password; for the person alone' }),
    expires_at: time,
  },
  ({ token, link }: ResetLink) => ({ reset_token: token, reset_link: link }),
);

export const resetExample = {
  reset_token: 'pr_0000000000000000000000000000000000000000000',
  reset_link: 'https://api.example.com/docs/password-reset#token=pr_0000000000000000000000000000000000000000000',
  expires_at: '2026-11-21T09:00:00.000Z',
};

/** Of a user that is made or changed. */
export const writtenUser = answer('WrittenUser', { ...user.shape, warnings: warningsAnswer }, (record: UserRecord) => ({
  ...user.present(record),
  warnings: scopeWarnings(record),
}));

export const createdUser = answer(
  'CreatedUser',
  {
    ...writtenUser.shape,
    invitation: resetLink.schema
      .nullable()
      .meta({ description: 'Where no password was given: the one-time link with which the person sets one' }),
  },
  ({ user: record, signs }: CreatedUser) => ({
    ...user.present(record),
    warnings: credentialWarnings({ ...record, requireSignature: true }, signs ? null : 'user'),
  }),
);
