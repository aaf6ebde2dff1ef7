/** What one credential may give to another: never more than it has. Whoever makes or changes credentials asks here. */
import { hasOwnLimits, type Role, roleReaches, scopeAllows, type Tier, tierReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountRecord } from '../../store/records.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';

type Grantor = Pick<Credential, 'role' | 'scopes'>;

/** Throws `forbidden` at `role` or `scopes[i]` for what the grantor does not have itself. */
export function assertMayGrant(by: Grantor, grant: { role?: Role; scopes?: readonly string[] }): void {
  if (grant.role !== undefined && !roleReaches(by.role, grant.role)) {
    throw new DomainError('forbidden', `the role ${grant.role} cannot be given with a credential of role ${by.role}`, {
      field: 'role',
    });
  }
  // scopeAllows lets nobody but the holder of `*` give it.
  const index = (grant.scopes ?? []).findIndex((scope) => !scopeAllows(by.scopes, scope));
  if (index !== -1) {
    const message = `the scope ${grant.scopes?.[index]} cannot be given with a credential that does not have it`;
    throw new DomainError('forbidden', message, { field: `scopes[${index}]` });
  }
}

/** Throws `forbidden` where a credential has a higher role than the one that would change, revoke or rotate it. */
export function assertMayTouch(by: Pick<Grantor, 'role'>, target: { role: Role }): void {
  if (roleReaches(by.role, target.role)) return;
  throw new DomainError('forbidden', `a credential of role ${by.role} cannot change one of role ${target.role}`);
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
export function assertMayWaiveSignature(by: Pick<Grantor, 'role'>, policy: 'required' | 'per-key'): void {
  const field = 'require_signature';
  if (policy === 'required') {
    throw new DomainError('policy_refused', 'every credential signs here: SIGNATURE_POLICY is required', { field });
  }
  if (by.role !== 'admin') {
    throw new DomainError('forbidden', 'only an administrator lets a credential go unsigned', { field });
  }
}

/** What is asked of a new API key or OAuth client. */
export interface CredentialRequest {
  readonly name: string;
  readonly scopes: string[];
  readonly role?: Role | undefined;
  readonly tier?: Tier | undefined;
  readonly limits?: Record<string, number> | undefined;
  /** A JWK as it came. */
  readonly publicKey?: unknown;
  readonly requireSignature?: boolean | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt?: number | undefined;
  readonly allowedIps?: string[] | undefined;
}

/** What the new credential is to be, where the caller may give all of it. Throws as the rules above do, and `invalid_value` at `expires_at`. */
export function grantedCredential(
  request: CredentialRequest,
  account: Pick<AccountRecord, 'tier'>,
  { accountId, credential }: Pick<RequestContext, 'accountId' | 'credential'>,
  { signaturePolicy, at }: { signaturePolicy: 'required' | 'per-key'; at: number },
) {
  const role = request.role ?? (roleReaches(credential.role, 'operator') ? 'operator' : credential.role);
  const tier = request.tier ?? (tierReaches(account.tier, 'standard') ? 'standard' : account.tier);
  assertMayGrant(credential, { role, scopes: request.scopes });
  assertTierWithin(account, tier);
  assertLimitsFit(tier, request.limits ?? null);
  if (request.requireSignature === false) assertMayWaiveSignature(credential, signaturePolicy);
  if (request.expiresAt !== undefined) assertToCome(request.expiresAt, at);
  const { name, scopes, limits = null, allowedIps = null, requireSignature = true, expiresAt = null } = request;
  return { accountId, name, role, scopes, tier, limits, allowedIps, requireSignature, expiresAt };
}

/** Throws `invalid_value` at `expires_at` for a time that is over. */
export function assertToCome(expiresAt: number, at: number): void {
  if (expiresAt > at) return;
  const reason = 'must be a time to come';
  throw new DomainError('invalid_value', `expires_at ${reason}`, { field: 'expires_at', reason });
}
