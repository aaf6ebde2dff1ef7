/**
 * Who may give and change what. Whoever makes, changes or ends credentials, or what people log in with, asks here
 * (docs/decisions/1301): what is made goes in nothing beyond its maker, and whoever changes a subject has all that it has and had.
 */
import { hasOwnLimits, type Rights, type Role, roleReaches, type Tier, tierReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountRecord } from '../../store/records.ts';
import { type Beyond, beyond, beyondRank, beyondUse, reachOf } from './rights.ts';

/** Throws `forbidden` at the field of what goes beyond the maker, unless its record says `may_grant`. */
export function assertMayGive(by: Rights, given: Rights): void {
  assertSpendsFreely(by);
  const more = beyond(reachOf(by), given);
  if (more === null) return;
  throw new DomainError('forbidden', `${more.reason}: only a credential with may_grant can give it`, {
    field: more.field,
  });
}

/**
 * For what only takes away: revoking, deleting, ending sessions. `subject` is all that it has and had. Throws `forbidden` where its role,
 * scopes or `may_grant` go beyond the caller's own; `may_grant` makes up for none of them.
 */
export function assertMayEnd(by: Rights, subject: Rights): void {
  refuse(beyondRank(by, subject));
}

/**
 * For what opens another way in to what there is: new secrets, keys, passwords, addresses, rights. Throws `forbidden` where anything of
 * the subject goes beyond the caller.
 */
export function assertMayChange(by: Rights, subject: Rights): void {
  assertSpendsFreely(by);
  refuse(beyondRank(by, subject) ?? beyond(reachOf(by), subject));
}

/** Throws `forbidden` for who has a budget of models: what they make or take over, or a wider budget, would spend beyond it. */
export function assertSpendsFreely({ budgeted, mayGrant }: Pick<Rights, 'budgeted' | 'mayGrant'>): void {
  if (budgeted !== true || mayGrant) return;
  throw new DomainError(
    'forbidden',
    'this API key has a budget for models, which it would get around: only one without, or with may_grant, does this',
  );
}

function refuse(more: Beyond | null): void {
  if (more === null) return;
  const { field, reason } = more;
  throw new DomainError('forbidden', `whoever changes this needs all that it has, or had: ${reason}`, { field });
}

/** The platform gives each account a tier; within the account no credential goes above it. Throws `forbidden` at `tier`. */
export function assertTierWithin(account: { tier: Tier }, tier: Tier): void {
  if (tierReaches(account.tier, tier)) return;
  throw new DomainError('forbidden', `the tier ${tier} is above this account's, which is ${account.tier}`, {
    field: 'tier',
  });
}

/** Throws `invalid_value` at `limits` where the tier's own limits are fixed. */
export function assertLimitsFit(tier: Tier, limits: Readonly<Record<string, number>> | null): void {
  if (limits === null || hasOwnLimits(tier)) return;
  throw new DomainError(
    'invalid_value',
    `limits of its own are for a credential of tier custom or enterprise, and this one's is ${tier}`,
    { field: 'limits' },
  );
}

/**
 * require_signature false is for an administrator to give, under SIGNATURE_POLICY=per-key. Throws `policy_refused` or `forbidden` at
 * `require_signature`.
 */
export function assertMayWaiveSignature(by: Pick<Rights, 'role'>, policy: 'required' | 'per-key'): void {
  const field = 'require_signature';
  if (policy === 'required') {
    throw new DomainError('policy_refused', 'every credential signs here: SIGNATURE_POLICY is required', { field });
  }
  if (by.role !== 'admin') {
    throw new DomainError('forbidden', 'only an administrator lets a credential go unsigned', { field });
  }
}

/** What is asked for; what is left out is the maker's where that is bounded, else the usual. */
export interface RequestedRights {
  readonly role?: Role | undefined;
  readonly scopes: readonly string[];
  readonly tier?: Tier | undefined;
  readonly limits?: Readonly<Record<string, number>> | undefined;
  readonly requireSignature?: boolean | undefined;
  readonly mayGrant?: boolean | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt?: number | null | undefined;
  readonly allowedIps?: readonly string[] | null | undefined;
}

/** What is asked of a new API key or OAuth client. */
export interface CredentialRequest extends RequestedRights {
  readonly name: string;
  /** A JWK as it came. */
  readonly publicKey?: unknown;
}

/** The rights to be given, where the maker may. Throws as the rules above do. */
export function grantedRights(
  asked: RequestedRights,
  account: Pick<AccountRecord, 'tier'>,
  by: Rights,
  signaturePolicy: 'required' | 'per-key',
): Rights {
  const reach = reachOf(by);
  const { role = roleReaches(by.role, 'operator') ? 'operator' : by.role, tier = usualTier(account, by) } = asked;
  const own = { ...reach.limits, ...asked.limits };
  const limits = hasOwnLimits(tier) && Object.keys(own).length > 0 ? own : null;
  const {
    scopes,
    expiresAt = reach.expiresAt,
    allowedIps = reach.allowedIps,
    requireSignature = true,
    mayGrant = false,
  } = asked;
  const given: Rights = { role, scopes, tier, limits, expiresAt, allowedIps, requireSignature, mayGrant };
  assertTierWithin(account, tier);
  assertLimitsFit(tier, asked.limits ?? null);
  if (!requireSignature) assertMayWaiveSignature(by, signaturePolicy);
  assertMayGive(by, given);
  return given;
}

/** `standard`, or less where the account or the maker has less. */
function usualTier(account: Pick<AccountRecord, 'tier'>, by: Rights): Tier {
  const usual = tierReaches(account.tier, 'standard') ? 'standard' : account.tier;
  const reach = reachOf(by);
  return beyondUse(reach, { ...reach, tier: usual, limits: null }) === null ? usual : by.tier;
}

/** Throws `invalid_value` at `expires_at` for a time that is over. */
export function assertToCome(expiresAt: number | null | undefined, at: number): void {
  if (expiresAt === undefined || expiresAt === null || expiresAt > at) return;
  const reason = 'must be a time to come';
  throw new DomainError('invalid_value', `expires_at ${reason}`, { field: 'expires_at', reason });
}
