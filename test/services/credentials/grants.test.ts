import { describe, expect, it } from 'vitest';
import { ROLES, type Role, roleReaches, scopeAllows, TIERS, type Tier, tierReaches } from '../../../src/core/access.ts';
import {
  assertLimitsFit,
  assertMayGrant,
  assertMayTouch,
  assertMayWaiveSignature,
  assertTierWithin,
} from '../../../src/services/credentials/grants.ts';

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

describe('a grant', () => {
  const by = (role: Role, ...scopes: string[]) => ({ role, scopes });

  it('is refused at the role, or the first scope, that the grantor does not have', () => {
    const grant = (grantor: ReturnType<typeof by>, role: Role, ...scopes: string[]) =>
      refusal(() => assertMayGrant(grantor, { role, scopes }));
    expect(grant(by('operator', '*'), 'admin', 'a:read')).toEqual(['forbidden', 'role']);
    expect(grant(by('operator', '*'), 'operator', '*')).toBeNull();
    expect(grant(by('admin', 'a:write', 'b:read'), 'viewer', 'a:read', 'a:write', 'b:read')).toBeNull();
    expect(grant(by('admin', 'a:write', 'b:read'), 'viewer', 'a:read', 'b:write')).toEqual(['forbidden', 'scopes[1]']);
    expect(grant(by('admin', 'a:write'), 'viewer', '*')).toEqual(['forbidden', 'scopes[0]']);
  });

  it('touches none of a higher role', () => {
    for (const role of ROLES) {
      for (const target of ROLES) {
        const refused = refusal(() => assertMayTouch({ role }, { role: target })) !== null;
        expect([role, target, refused]).toEqual([role, target, ROLES.indexOf(target) > ROLES.indexOf(role)]);
      }
    }
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
