import type { Rights } from '../../core/access.ts';
import type { Role, Tier } from '../records.ts';

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

/** Folded. */
export interface LoginNames {
  username: string;
  email: string | null;
}
