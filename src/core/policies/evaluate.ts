/** Evaluates the rules for one operation: every rule that matches counts. */
import { type Matched, matchPolicy, windowFigures } from './match.ts';
import { payeesOf } from './payee-index.ts';
import type { PastSpending, Policy, PolicyAction, Spending, Verdict } from './policy.ts';

/**
 * Denied if any matching rule denies; else it needs the approvals of all matching `approve` rules; else allowed. If none matches: the default.
 * `past` is only called for the sums that `windowsOf` returns. The order of the rules makes no difference.
 */
export function evaluate(
  policies: readonly Policy[],
  defaultAction: 'allow' | 'deny',
  spending: Spending,
  past: PastSpending,
): Verdict {
  const matching = matchingPolicies(policies, spending, past);
  const denials = matching.flatMap(({ policy: { then } }) => (then.action === 'deny' ? [then] : []));
  const requirements = matching.flatMap(({ policy: { policyId, then } }) =>
    then.action === 'approve'
      ? [{ policyId, required: then.required, from: then.from, expiresInHours: then.expiresInHours }]
      : [],
  );
  return {
    action: actionOf(matching.length, denials.length, requirements.length, defaultAction),
    policies: matching.map(({ policy: { policyId, name, then }, matched }) => ({
      policyId,
      name,
      action: then.action,
      matched,
    })),
    requirements,
    message: denials[0]?.message ?? null,
  };
}

function actionOf(
  matching: number,
  denials: number,
  requirements: number,
  defaultAction: 'allow' | 'deny',
): PolicyAction['action'] {
  if (matching === 0) return defaultAction;
  if (denials > 0) return 'deny';
  return requirements > 0 ? 'approve' : 'allow';
}

function matchingPolicies(policies: readonly Policy[], spending: Spending, past: PastSpending) {
  const payees = payeesOf(spending);
  const figures = windowFigures(spending, payees, past);
  const matching: { policy: Policy; matched: Matched }[] = [];
  for (const policy of policies) {
    const matched = policy.enabled ? matchPolicy(policy, spending, payees, figures) : null;
    if (matched !== null) matching.push({ policy, matched });
  }
  return matching.sort((a, b) => byPosition(a.policy, b.policy));
}

/** Positions are unique within an account; proposed rules are ordered by id. */
function byPosition(a: Policy, b: Policy): number {
  return a.position - b.position || (a.policyId < b.policyId ? -1 : 1);
}
