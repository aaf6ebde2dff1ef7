import { describe, expect, it } from 'vitest';
import {
  type Rights,
  ROLES,
  type Role,
  roleReaches,
  scopeAllows,
  TIERS,
  type Tier,
  tierReaches,
} from '../../../src/core/access.ts';
import { isActive } from '../../../src/services/credentials/credential-record.ts';
import {
  assertLimitsFit,
  assertMayChange,
  assertMayEnd,
  assertMayGive,
  assertMayWaiveSignature,
  assertTierWithin,
  grantedRights,
} from '../../../src/services/credentials/grants.ts';
import { beyond, inCommon, together } from '../../../src/services/credentials/rights.ts';

const refusal = (attempt: () => void) => {
  try {
    attempt();
    return null;
  } catch (error) {
    const { code, details } = error as { code: string; details: { field?: string } };
    return [code, details.field];
  }
};

describe('roles, scopes and tiers', () => {
  it('reach themselves and what is below', () => {
    const pairs = <T>(all: readonly T[], reaches: (one: T, other: T) => boolean) =>
      all.map((one) => all.filter((other) => reaches(one, other)).length);
    expect(pairs(ROLES, roleReaches)).toEqual([1, 2, 3]);
    expect(pairs(TIERS, tierReaches)).toEqual([1, 2, 3, 5, 5]);
  });

  it.each<[string[], string, boolean]>([
    [['*'], 'wallets:write', true],
    [['wallets:write'], 'wallets:read', true],
    [['wallets:read'], 'wallets:write', false],
    [['wallets:write'], 'wallets-more:read', false],
    [['wallets:write'], '*', false],
    [['*'], '*', true],
    [[], 'wallets:read', false],
  ])('%s for %s: %s', (scopes, wanted, allowed) => {
    expect(scopeAllows(scopes, wanted)).toBe(allowed);
  });
});

describe('a credential', () => {
  it.each([
    [{ expiresAt: 10 }, 9, true],
    [{ expiresAt: 10 }, 10, false],
    [{ expiresAt: 20, overlapEndsAt: 10 }, 10, false],
    [{ expiresAt: null, overlapEndsAt: 10 }, 9, true],
    [{ expiresAt: null, revokedAt: 1 }, 0, false],
  ])('with %o is active at %i: %s', (record, at, active) => {
    expect(isActive({ revokedAt: null, ...record }, at)).toBe(active);
  });
});

const STANDARD: Rights = {
  role: 'admin',
  scopes: ['*'],
  tier: 'standard',
  limits: null,
  expiresAt: null,
  allowedIps: null,
  requireSignature: true,
  mayGrant: false,
};
const DAY = 86_400_000;
const rights = (given: Partial<Rights> = {}): Rights => ({ ...STANDARD, ...given });
const CUSTOM = { tier: 'custom', limits: { requests_per_minute: 50 } } as const;

describe('a grant', () => {
  /** What the maker has, what it gives, and the field that goes beyond. */
  it.each<[Partial<Rights>, Partial<Rights>, string | null]>([
    [{ role: 'operator' }, {}, 'role'],
    [{ scopes: ['a:write', 'b:read'] }, { scopes: ['a:read', 'a:write', 'b:read'] }, null],
    [{ scopes: ['a:write', 'b:read'] }, { scopes: ['a:read', 'b:write'] }, 'scopes[1]'],
    [{ scopes: ['a:write'] }, {}, 'scopes[0]'],
    [{}, { tier: 'pro' }, 'tier'],
    [{ tier: 'enterprise' }, { tier: 'custom', limits: { bulk_per_minute: 10_000 } }, null],
    [CUSTOM, { ...CUSTOM, limits: { requests_per_minute: 51 } }, 'limits.requests_per_minute'],
    [{ ...CUSTOM, limits: { requests_per_day: 9 } }, { ...CUSTOM, limits: null }, 'tier'],
    [
      { ...CUSTOM, limits: { requests_per_day: 9 } },
      { ...CUSTOM, limits: { requests_per_day: 10 } },
      'limits.requests_per_day',
    ],
    [CUSTOM, { tier: 'free' }, 'tier'],
    [{ expiresAt: DAY }, { expiresAt: DAY }, null],
    [{ expiresAt: DAY }, { expiresAt: DAY + 1 }, 'expires_at'],
    [{ expiresAt: DAY }, {}, 'expires_at'],
    [{ allowedIps: ['10.0.0.0/8', '2001:db8::/32'] }, { allowedIps: ['10.1.0.0/16', '2001:db8::1'] }, null],
    [{ allowedIps: ['10.0.0.0/8'] }, { allowedIps: ['10.0.0.1', '0.0.0.0/0'] }, 'allowed_ips[1]'],
    [{ allowedIps: ['10.0.0.1'] }, { allowedIps: ['10.0.0.1', '::/0'] }, 'allowed_ips[1]'],
    [{ allowedIps: ['10.0.0.0/8'] }, { allowedIps: ['::ffff:10.0.0.0/96'] }, 'allowed_ips[0]'],
    [{ allowedIps: ['10.0.0.0/8'] }, {}, 'allowed_ips'],
    [{ allowedIps: ['10.0.0.0/9', '10.128.0.0/9'] }, { allowedIps: ['10.127.1.0/24', '10.0.0.0/8'] }, 'allowed_ips[1]'],
    [{ allowedIps: ['10.1.0.0/16', '10.0.0.0/8', '10.1.2.0/24'] }, { allowedIps: ['10.255.0.0/16', '10.1.2.3'] }, null],
    [{}, { requireSignature: false }, 'require_signature'],
    [{}, { mayGrant: true }, 'may_grant'],
  ])('by %o of %o: %s', (maker, given, field) => {
    const refused = field === null ? null : ['forbidden', field];
    expect(refusal(() => assertMayGive(rights(maker), rights(given)))).toEqual(refused);
    expect(refusal(() => assertMayGive(rights({ ...maker, mayGrant: true }), rights(given)))).toBeNull();
    // To change what there is takes the same, and may_grant makes up for no role and no scope; to end it takes the rank alone.
    const ranked = /role|scopes|may_grant/.test(field ?? '');
    const change = (by: Rights) => refusal(() => assertMayChange(by, rights(given))) !== null;
    expect(change(rights(maker))).toBe(field !== null);
    expect(change(rights({ ...maker, mayGrant: true }))).toBe(/role|scopes/.test(field ?? ''));
    expect(refusal(() => assertMayEnd(rights(maker), rights(given))) !== null).toBe(ranked);
  });

  it('has the bounds of its maker where nothing is said', () => {
    const granted = (maker: Partial<Rights>, tier: Tier = 'custom') =>
      grantedRights({ scopes: ['a:read'] }, { tier }, rights(maker), 'required');
    const usual = { ...STANDARD, role: 'operator', scopes: ['a:read'] };
    expect(granted({ tier: 'custom' })).toEqual(usual);
    expect(granted({}, 'free')).toEqual({ ...usual, tier: 'free' });
    const bounds = { ...CUSTOM, expiresAt: DAY, allowedIps: ['10.0.0.0/8'] };
    expect(granted(bounds)).toEqual({ ...usual, ...bounds });
    expect(granted({ ...bounds, mayGrant: true })).toEqual(usual);
    expect(granted({ tier: 'free' })).toEqual({ ...usual, tier: 'free' });
  });

  it('has together what either has, and in common what both have', () => {
    const one = rights({ role: 'viewer', scopes: ['a:write'], expiresAt: 1, allowedIps: ['10.0.0.0/8'] });
    const other = rights({ scopes: ['a:read', 'b:read'], tier: 'free', expiresAt: 2, allowedIps: ['10.0.0.1', '::1'] });
    expect(together(one, other)).toEqual({
      ...rights({ scopes: ['a:write', 'a:read', 'b:read'], expiresAt: 2 }),
      allowedIps: ['10.0.0.0/8', '10.0.0.1', '::1'],
    });
    const both = rights({ role: 'viewer', scopes: ['a:read'], tier: 'free', expiresAt: 1, allowedIps: ['10.0.0.1'] });
    expect(inCommon(one, other)).toEqual(both);
    for (const each of [one, other])
      expect([beyond(each, both), beyond(together(one, other), each)]).toEqual([null, null]);
    expect(inCommon(STANDARD, one)).toEqual(one);
  });

  it("keeps within the account's tier, and gives limits only where the tier has them", () => {
    const tier = (account: Tier, wanted: Tier) => refusal(() => assertTierWithin({ tier: account }, wanted));
    expect(tier('standard', 'pro')).toEqual(['forbidden', 'tier']);
    expect(tier('enterprise', 'custom')).toBeNull();
    const limits = (wanted: Tier) => refusal(() => assertLimitsFit(wanted, { requests_per_minute: 1 }));
    expect(TIERS.filter((one) => limits(one) === null)).toEqual(['enterprise', 'custom']);
    expect(refusal(() => assertLimitsFit('free', null))).toBeNull();
  });

  it('waives signatures by an administrator alone, and only where the policy lets it', () => {
    const waive = (role: Role, policy: 'required' | 'per-key') =>
      refusal(() => assertMayWaiveSignature({ role }, policy));
    expect(waive('admin', 'required')).toEqual(['policy_refused', 'require_signature']);
    expect(waive('operator', 'per-key')).toEqual(['forbidden', 'require_signature']);
    expect(waive('admin', 'per-key')).toBeNull();
  });
});
