import type { Page, PageRequest } from '../records.ts';

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

export interface SessionRepository {
  insert(session: SessionRecord): Promise<void>;
  find(accountId: string, sessionId: string): Promise<SessionRecord | null>;
  /** Those that can still be refreshed, newest first. */
  listLive(accountId: string, userId: string, now: number, page: PageRequest): Promise<Page<SessionRecord>>;
  /** A refresh: used now, and alive until `expiresAt`. */
  prolong(accountId: string, sessionId: string, at: number, expiresAt: number): Promise<void>;
  /** Every process forgets what it knew. False where it is not this person's, or has ended. */
  end(accountId: string, userId: string, sessionId: string, at: number, reason: SessionEnd): Promise<boolean>;
  /** All of a person's but `except`; answers how many. */
  endAll(accountId: string, userId: string, at: number, reason: SessionEnd, except?: string | null): Promise<number>;
  /** Whether the person logged in from there since `since`. */
  cameFrom(accountId: string, userId: string, addressClass: string, since: number): Promise<boolean>;
  /** Forgets sessions that expired before `time`, their tokens with them; answers how many. */
  deleteExpiredBefore(time: number): Promise<number>;
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

export interface RefreshTokenRepository {
  insert(token: RefreshTokenRecord): Promise<void>;
  /** Whatever the account: this is how it becomes known. */
  find(digest: string): Promise<RefreshTokenRecord | null>;
  /** False where another did it first: then the job rolls nothing back and reads who did. */
  spend(accountId: string, digest: string, at: number, successor: string): Promise<boolean>;
}
