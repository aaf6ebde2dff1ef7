import type { Selectable } from 'kysely';
import type { UserRecord } from '../interfaces/users.ts';
import type { Role, Tier } from '../records.ts';
import type { Schema } from '../schema.ts';
import { numberOrNull, parsedOrNull } from './column-values.ts';

export const toUser = (row: Selectable<Schema['users']>): UserRecord => ({
  userId: row.user_id,
  accountId: row.account_id,
  username: row.username,
  email: row.email,
  name: row.name,
  role: row.role as Role,
  scopes: JSON.parse(row.scopes) as string[],
  tier: row.tier as Tier,
  expiresAt: numberOrNull(row.expires_at),
  allowedIps: parsedOrNull(row.allowed_ips),
  mayGrant: row.may_grant === 1n,
  hadRights: parsedOrNull(row.had_rights),
  setByRights: parsedOrNull(row.set_by_rights),
  passwordHash: row.password_hash,
  passwordChangedAt: numberOrNull(row.password_changed_at),
  totpSecret: row.totp_secret,
  totpConfirmedAt: numberOrNull(row.totp_confirmed_at),
  totpLastStep: Number(row.totp_last_step),
  disabledAt: numberOrNull(row.disabled_at),
  deletedAt: numberOrNull(row.deleted_at),
  lastLoginAt: numberOrNull(row.last_login_at),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
