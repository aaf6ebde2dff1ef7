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

export interface PasswordResetRepository {
  /** Takes the place of the person's earlier ones. */
  replace(reset: PasswordResetRecord): Promise<void>;
  /** Whatever the account; used and expired ones too. */
  find(digest: string): Promise<PasswordResetRecord | null>;
  /** False where it was used, has expired or is gone. */
  use(accountId: string, digest: string, at: number): Promise<boolean>;
  deleteAll(accountId: string, userId: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}

interface LoginFailures {
  failures: number;
  lastFailedAt: number;
}

export interface LoginFailureRepository {
  find(key: string): Promise<LoginFailures | null>;
  /** The count of a key (none: 0 failures), for a job that goes by it: until that ends no other job changes it. */
  hold(key: string): Promise<LoginFailures>;
  set(key: string, count: LoginFailures): Promise<void>;
  delete(key: string): Promise<void>;
  deleteOlderThan(time: number): Promise<number>;
}

export interface SsoIdentityRecord {
  issuer: string;
  subject: string;
  accountId: string;
  userId: string;
  createdAt: number;
}

export interface SsoRepository {
  /** False where it was used before. */
  useState(digest: string, expiresAt: number): Promise<boolean>;
  deleteExpiredStates(now: number): Promise<number>;
  findIdentity(issuer: string, subject: string): Promise<SsoIdentityRecord | null>;
  findIdentityOf(accountId: string, userId: string, issuer: string): Promise<SsoIdentityRecord | null>;
  /** False where the subject or the person is linked already. */
  insertIdentity(identity: SsoIdentityRecord): Promise<boolean>;
  deleteIdentities(accountId: string, userId: string): Promise<void>;
}
