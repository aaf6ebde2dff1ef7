/** What a credential may do: its role, its scopes and its tier, and what each of them reaches. */

/** Each role may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const TIERS = ['free', 'standard', 'pro', 'enterprise', 'custom'] as const;
export type Tier = (typeof TIERS)[number];

/** `<plural noun>:read|write`, or `*` for all. */
export const SCOPE_FORM = /^(\*|[a-z][a-z0-9-]{0,62}:(read|write))$/;

/** custom is enterprise with limits of its own, not more. */
const TIER_RANK: Record<Tier, number> = { free: 0, standard: 1, pro: 2, enterprise: 3, custom: 3 };

export const roleReaches = (role: Role, wanted: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(wanted);

export const tierReaches = (tier: Tier, wanted: Tier): boolean => TIER_RANK[tier] >= TIER_RANK[wanted];

/** What a credential may do, from where and how long. For a token it is its person's or client's record, and the token's scopes. */
export interface Rights {
  readonly role: Role;
  readonly scopes: readonly string[];
  readonly tier: Tier;
  /** Limits of its own (tiers custom and enterprise), by name: `requests_per_minute`, … */
  readonly limits: Readonly<Record<string, number>> | null;
  /** When it ends by itself, epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** Addresses and CIDR blocks; null: from anywhere. */
  readonly allowedIps: readonly string[] | null;
  /** False only where an administrator issued it so under SIGNATURE_POLICY=per-key. */
  readonly requireSignature: boolean;
  /** It may give what goes beyond itself, and this. */
  readonly mayGrant: boolean;
}

/** Whether a credential of this tier may have limits of its own. */
export const hasOwnLimits = (tier: Tier): boolean => tier === 'enterprise' || tier === 'custom';

/** `*` is all; `wallets:write` lets read too. */
export function scopeAllows(scopes: readonly string[], wanted: string): boolean {
  if (scopes.includes('*') || scopes.includes(wanted)) return true;
  return wanted.endsWith(':read') && scopes.includes(`${wanted.slice(0, -':read'.length)}:write`);
}

/** What both lists of scopes allow. */
export function narrowScopes(one: readonly string[], other: readonly string[]): string[] {
  const both = [
    ...one.filter((scope) => scopeAllows(other, scope)),
    ...other.filter((scope) => scopeAllows(one, scope)),
  ];
  return [...new Set(both)];
}
