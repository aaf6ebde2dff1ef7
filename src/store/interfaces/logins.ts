/** What logging in needs beside people and their sessions: one-time links, failures, single sign-on under way. */
export interface PasswordResetRecord {
  /** SHA-256, hex. */
  digest: string;
  accountId: string;
  userId: string;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
}

export interface LoginFailures {
  failures: number;
  lastFailedAt: number;
}

export interface SsoIdentityRecord {
  issuer: string;
  subject: string;
  accountId: string;
  userId: string;
  createdAt: number;
}
