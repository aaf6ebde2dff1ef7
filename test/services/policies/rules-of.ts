/** An account's rules, as a test writes them. */
import { type AccountRules, DEFAULT_CONFIG, type EnterpriseConfig } from '../../../src/core/policies/account-rules.ts';
import type { Policy, PolicyAction, PolicyConditions } from '../../../src/core/policies/policy.ts';

export const DENY: PolicyAction = { action: 'deny', message: 'not today' };
export const ALLOW: PolicyAction = { action: 'allow' };
export const APPROVE: PolicyAction = { action: 'approve', required: 2, from: { roles: ['admin'] }, expiresInHours: 24 };

export const rule = (when: PolicyConditions, action: PolicyAction = DENY, name = 'limit'): Policy => ({
  ...{ policyId: `pol_${name}`, name, enabled: true, position: 1, when },
  then: action,
});

export const rulesOf = (policies: readonly Policy[], config: Partial<EnterpriseConfig> = {}): AccountRules => ({
  policies: policies.map((policy, position) => ({ ...policy, position })),
  lists: new Map(),
  treasuries: [],
  groupsOf: () => [],
  config: { ...DEFAULT_CONFIG, version: 1, ...config },
});
