import type { Rights, Role, Tier } from '../../core/access.ts';
import type { PasswordResetRecord, SsoIdentityRecord } from '../interfaces/logins.ts';
import type { RefreshTokenRecord, SessionEnd, SessionMethod, SessionRecord } from '../interfaces/sessions.ts';
import type { UserRecord } from '../interfaces/users.ts';
import { flag, integer, json, orNull, type RowOf, table, text, time } from './columns.ts';

export const users = table<UserRecord>()('users', ['userId'], {
  userId: text(),
  accountId: text(),
  username: text(),
  email: orNull(text()),
  name: orNull(text()),
  role: text<Role>(),
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  expiresAt: orNull(time),
  allowedIps: orNull(json<readonly string[]>()),
  mayGrant: flag,
  hadRights: orNull(json<Rights>()),
  setByRights: orNull(json<Rights>()),
  /** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
  passwordHash: orNull(text()),
  passwordChangedAt: orNull(time),
  totpSecret: orNull(text()),
  totpConfirmedAt: orNull(time),
  /** The newest time step whose code was taken: none is taken twice. */
  totpLastStep: integer,
  disabledAt: orNull(time),
  /** Disabled for good: the row stays for the audit log, its names are free. */
  deletedAt: orNull(time),
  lastLoginAt: orNull(time),
  createdAt: time,
  updatedAt: time,
});

export const sessions = table<SessionRecord>()('sessions', ['sessionId'], {
  sessionId: text(),
  accountId: text(),
  userId: text(),
  method: text<SessionMethod>(),
  boundKeyId: orNull(text()),
  remoteAddress: text(),
  /** The neighbourhood that the address is in (core/users/address-class.ts). */
  addressClass: text(),
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
  endedAt: orNull(time),
  endReason: orNull(text<SessionEnd>()),
});

export const refreshTokens = table<RefreshTokenRecord>()('refresh_tokens', ['digest'], {
  digest: text(),
  accountId: text(),
  sessionId: text(),
  createdAt: time,
  expiresAt: time,
  spentAt: orNull(time),
  /** The next token, sealed: answered again within the grace. */
  successor: orNull(text()),
});

export const passwordResets = table<PasswordResetRecord>()('password_resets', ['digest'], {
  digest: text(),
  accountId: text(),
  userId: text(),
  createdAt: time,
  expiresAt: time,
  usedAt: orNull(time),
});

export const ssoIdentities = table<SsoIdentityRecord>()('sso_identities', ['issuer', 'subject'], {
  issuer: text(),
  subject: text(),
  accountId: text(),
  userId: text(),
  createdAt: time,
});

/** Users: who they are, what they log in with, and what they are logged in by. Secrets are digests or sealed. */
export interface UserTables {
  users: RowOf<typeof users>;
  /** What a person may log in with: username and e-mail address, folded, each once in the whole service. */
  login_names: { name: string; account_id: string; user_id: string };
  recovery_codes: { account_id: string; user_id: string; digest: string; used_at: bigint | null };
  sessions: RowOf<typeof sessions>;
  refresh_tokens: RowOf<typeof refreshTokens>;
  password_resets: RowOf<typeof passwordResets>;
  /** Logins that failed, by a keyed digest of the name and where they came from. */
  login_failures: { key: string; failures: bigint; last_failed_at: bigint };
  /** Sign-ons that came back from the provider, until they would have expired: none comes back twice. */
  sso_used_states: { digest: string; expires_at: bigint };
  sso_identities: RowOf<typeof ssoIdentities>;
}
