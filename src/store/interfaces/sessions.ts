export type SessionMethod = 'password' | 'reset' | 'sso';
export type SessionEnd = 'logout' | 'revoked' | 'reused' | 'password' | 'disabled';

export interface SessionRecord {
  sessionId: string;
  accountId: string;
  userId: string;
  method: SessionMethod;
  /** The key that signed the login: the only one that may sign under this session's tokens. */
  boundKeyId: string | null;
  remoteAddress: string;
  addressClass: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  endedAt: number | null;
  endReason: SessionEnd | null;
}

export interface RefreshTokenRecord {
  /** SHA-256, hex. */
  digest: string;
  accountId: string;
  sessionId: string;
  createdAt: number;
  expiresAt: number;
  spentAt: number | null;
  successor: string | null;
}
