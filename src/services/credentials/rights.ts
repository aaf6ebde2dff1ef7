/** Rights beside each other: what of some goes beyond others, what two have together, and what they have in common. */
import { narrowScopes, type Rights, roleReaches, scopeAllows, tierReaches } from '../../core/access.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import { mostOf, OWN_LIMITS } from '../limits/limit-table.ts';
import { within } from './address-list.ts';

/** What goes beyond: where it stands in a request, and why. */
export interface Beyond {
  readonly field: string;
  readonly reason: string;
}

/** More than anything else has. */
const ALL: Rights = {
  role: 'admin',
  scopes: ['*'],
  tier: 'custom',
  limits: null,
  expiresAt: null,
  allowedIps: null,
  requireSignature: false,
  mayGrant: true,
};

/** What a credential can give. */
export const reachOf = (by: Rights): Rights => rightsOf(by.mayGrant ? ALL : by);

/** The rights of a record that holds more. */
export const rightsOf = (record: Rights): Rights => {
  const { role, scopes, tier, limits, expiresAt, allowedIps, requireSignature, mayGrant } = record;
  return { role, scopes, tier, limits, expiresAt, allowedIps, requireSignature, mayGrant };
};

export const rightsOfUser = ({ role, scopes, tier, expiresAt, allowedIps, mayGrant }: UserRecord): Rights => ({
  role,
  scopes,
  tier,
  limits: null,
  expiresAt,
  allowedIps,
  requireSignature: true,
  mayGrant,
});

/** All that a person has and had. */
export const hadByUser = (user: UserRecord): Rights => user.hadRights ?? rightsOfUser(user);

/** What may be done: role, scopes, and giving on. */
export function beyondRank(has: Rights, wanted: Rights): Beyond | null {
  if (!roleReaches(has.role, wanted.role)) {
    return { field: 'role', reason: `the role ${wanted.role} is above this credential's, which is ${has.role}` };
  }
  // scopeAllows lets nobody but the holder of `*` reach it.
  const index = wanted.scopes.findIndex((scope) => !scopeAllows(has.scopes, scope));
  if (index !== -1) {
    return { field: `scopes[${index}]`, reason: `this credential does not have the scope ${wanted.scopes[index]}` };
  }
  if (has.mayGrant || !wanted.mayGrant) return null;
  return { field: 'may_grant', reason: 'this credential does not have may_grant' };
}

/** Until when, from where, and whether unsigned. */
export function beyondReach(has: Rights, wanted: Rights): Beyond | null {
  if (has.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > has.expiresAt)) {
    const end = new Date(has.expiresAt).toISOString();
    return { field: 'expires_at', reason: `this credential ends at ${end}, and expires_at must not be later` };
  }
  const { allowedIps } = has;
  if (allowedIps !== null) {
    const isWithin = within(allowedIps);
    const outside = wanted.allowedIps?.findIndex((entry) => !isWithin(entry));
    const field = outside === undefined ? 'allowed_ips' : `allowed_ips[${outside}]`;
    const reason = `this credential allows ${allowedIps.join(', ')}, and allowed_ips must be within these`;
    if (outside !== -1) return { field, reason };
  }
  if (!has.requireSignature || wanted.requireSignature) return null;
  return { field: 'require_signature', reason: 'this credential signs itself' };
}

/** How often. */
export function beyondUse(has: Rights, wanted: Rights): Beyond | null {
  if (!tierReaches(has.tier, wanted.tier)) {
    return { field: 'tier', reason: `the tier ${wanted.tier} is above this credential's, which is ${has.tier}` };
  }
  for (const name of OWN_LIMITS) {
    const own = has.limits?.[name];
    const most = mostOf(wanted, name);
    if (own === undefined || (most !== null && most <= own)) continue;
    const field = wanted.limits?.[name] === undefined ? 'tier' : `limits.${name}`;
    return { field, reason: `this credential has ${own} as its ${name}, and ${most ?? 'no limit'} is more` };
  }
  return null;
}

export const beyond = (has: Rights, wanted: Rights): Beyond | null =>
  beyondRank(has, wanted) ?? beyondUse(has, wanted) ?? beyondReach(has, wanted);

/** What either of two has, of people: limits of their own they have none. */
export const together = (one: Rights, other: Rights): Rights => ({
  role: roleReaches(one.role, other.role) ? one.role : other.role,
  scopes: [...new Set([...one.scopes, ...other.scopes])],
  tier: tierReaches(one.tier, other.tier) ? one.tier : other.tier,
  limits: null,
  expiresAt: one.expiresAt === null || other.expiresAt === null ? null : Math.max(one.expiresAt, other.expiresAt),
  allowedIps:
    one.allowedIps === null || other.allowedIps === null ? null : bounded([...one.allowedIps, ...other.allowedIps]),
  requireSignature: one.requireSignature && other.requireSignature,
  mayGrant: one.mayGrant || other.mayGrant,
});

/** Beyond so many entries: from anywhere, which asks most of who would change the person. */
const MAX_KEPT = 500;

function bounded(entries: readonly string[]): string[] | null {
  const kept = [...new Set(entries)];
  return kept.length > MAX_KEPT ? null : kept;
}

/** What both have. */
export const inCommon = (one: Rights, other: Rights): Rights => ({
  role: roleReaches(one.role, other.role) ? other.role : one.role,
  scopes: narrowScopes(one.scopes, other.scopes),
  tier: tierReaches(one.tier, other.tier) ? other.tier : one.tier,
  limits: null,
  expiresAt:
    one.expiresAt === null || other.expiresAt === null
      ? (one.expiresAt ?? other.expiresAt)
      : Math.min(one.expiresAt, other.expiresAt),
  allowedIps:
    one.allowedIps === null || other.allowedIps === null
      ? (one.allowedIps ?? other.allowedIps)
      : [
          ...new Set([
            ...one.allowedIps.filter(within(other.allowedIps)),
            ...other.allowedIps.filter(within(one.allowedIps)),
          ]),
        ],
  requireSignature: one.requireSignature || other.requireSignature,
  mayGrant: one.mayGrant && other.mayGrant,
});
