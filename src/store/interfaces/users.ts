import type { Rights } from '../../core/access.ts';
import type { Page, PageRequest, Role, Tier } from '../records.ts';

export interface UserRecord {
  userId: string;
  accountId: string;
  username: string;
  email: string | null;
  name: string | null;
  role: Role;
  scopes: readonly string[];
  tier: Tier;
  /** Until when, and from where, the person may log in and what that opened is taken; null: for ever, from anywhere. */
  expiresAt: number | null;
  allowedIps: readonly string[] | null;
  mayGrant: boolean;
  /** All that the person has had; null: what they have now. */
  hadRights: Rights | null;
  /** What all had who made the person or changed what they log in or sign with; null: not known. */
  setByRights: Rights | null;
  /** PHC string; null until a person has set a password. */
  passwordHash: string | null;
  passwordChangedAt: number | null;
  /** Sealed under a key of the service. */
  totpSecret: string | null;
  /** When the second factor came into force; null while it is only offered. */
  totpConfirmedAt: number | null;
  totpLastStep: number;
  disabledAt: number | null;
  deletedAt: number | null;
  lastLoginAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface UserFilter {
  role?: Role;
  disabled?: boolean;
  /** Folded (core/users/login-name.ts). */
  loginName?: string;
}

export type UserPatch = Partial<
  Omit<UserRecord, 'userId' | 'accountId' | 'totpLastStep' | 'lastLoginAt' | 'createdAt'>
>;

export interface UserRepository {
  /** Throws DomainError `already_exists` (at username or email) where one of the folded names is taken in the service. */
  insert(user: UserRecord, names: LoginNames): Promise<void>;
  find(accountId: string, userId: string): Promise<UserRecord | null>;
  /** Whatever the account: this is how a caller's account becomes known. Deleted ones are not found. */
  findById(userId: string): Promise<UserRecord | null>;
  /** By a folded username or e-mail address, whatever the account. */
  findByLoginName(name: string): Promise<UserRecord | null>;
  /** For a job that goes by what it reads: until that ends no other job changes the record. */
  hold(accountId: string, userId: string): Promise<UserRecord | null>;
  /** Newest first, without the deleted. */
  list(accountId: string, filter: UserFilter, page: PageRequest): Promise<Page<UserRecord>>;
  /** Every process forgets what it knew of the person. */
  update(accountId: string, userId: string, patch: UserPatch): Promise<void>;
  /** Puts these in the place of the names there were; none frees them. Throws as `insert` does. */
  setLoginNames(accountId: string, userId: string, names: LoginNames | null): Promise<void>;
  loggedIn(accountId: string, userId: string, at: number): Promise<void>;
  /** False where this step's code, or a later one's, was taken before. */
  takeTotpStep(accountId: string, userId: string, step: number): Promise<boolean>;
  /** Puts these digests in the place of the codes there were. */
  setRecoveryCodes(accountId: string, userId: string, digests: readonly string[]): Promise<void>;
  /** False where there is no such unused code. */
  takeRecoveryCode(accountId: string, userId: string, digest: string, at: number): Promise<boolean>;
  countRecoveryCodes(accountId: string, userId: string): Promise<number>;
}

/** Folded. */
export interface LoginNames {
  username: string;
  email: string | null;
}
