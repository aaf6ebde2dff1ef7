import type { Rights, Role, Tier } from '../../core/access.ts';
import { flag, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from './columns.ts';

export interface LoginFailures {
  failures: number;
  lastFailedAt: number;
}

export type SessionMethod = 'password' | 'reset' | 'sso';

export type SessionEnd = 'logout' | 'revoked' | 'reused' | 'password' | 'disabled';

export interface UserFilter {
  role?: Role;
  disabled?: boolean;
  /** Folded (core/users/login-name.ts). */
  loginName?: string;
}

export type UserPatch = Partial<
  Omit<UserRecord, 'userId' | 'accountId' | 'totpLastStep' | 'lastLoginAt' | 'createdAt'>
>;

/** Folded. */
export interface LoginNames {
  username: string;
  email: string | null;
}

export const users = table('users', ['userId'], {
  userId: text(),
  accountId: text(),
  username: text(),
  email: orNull(text()),
  name: orNull(text()),
  role: text<Role>(),
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  /** Until when, and from where, the person may log in and what that opened is taken; null: for ever, from anywhere. */
  expiresAt: orNull(time),
  allowedIps: orNull(json<readonly string[]>()),
  mayGrant: flag,
  /** All that the person has had; null: what they have now. */
  hadRights: orNull(json<Rights>()),
  /** What all had who made the person or changed what they log in or sign with; null: not known. */
  setByRights: orNull(json<Rights>()),
  /** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; null until a person has set a password. */
  passwordHash: orNull(text()),
  passwordChangedAt: orNull(time),
  /** Encrypted under a key of the service. */
  totpSecret: orNull(text()),
  /** When the second factor came into force; null while it is only offered. */
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
export type UserRecord = RecordOf<typeof users>;

export const sessions = table('sessions', ['sessionId'], {
  sessionId: text(),
  accountId: text(),
  userId: text(),
  method: text<SessionMethod>(),
  /** The key that signed the login: the only one that may sign under this session's tokens. */
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
export type SessionRecord = RecordOf<typeof sessions>;

export const refreshTokens = table('refresh_tokens', ['digest'], {
  /** SHA-256, hex. */
  digest: text(),
  accountId: text(),
  sessionId: text(),
  createdAt: time,
  expiresAt: time,
  spentAt: orNull(time),
  /** The next token, encrypted: answered again within the grace. */
  successor: orNull(text()),
});
export type RefreshTokenRecord = RecordOf<typeof refreshTokens>;

export const passwordResets = table('password_resets', ['digest'], {
  /** SHA-256, hex. */
  digest: text(),
  accountId: text(),
  userId: text(),
  createdAt: time,
  expiresAt: time,
  usedAt: orNull(time),
});
/** What logging in needs beside people and their sessions: one-time links, failures, single sign-on under way. */
export type PasswordResetRecord = RecordOf<typeof passwordResets>;

export const ssoIdentities = table('sso_identities', ['issuer', 'subject'], {
  issuer: text(),
  subject: text(),
  accountId: text(),
  userId: text(),
  createdAt: time,
});
export type SsoIdentityRecord = RecordOf<typeof ssoIdentities>;

/** Users: who they are, what they log in with, and what they are logged in by. Secrets are digests or encrypted. */
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
