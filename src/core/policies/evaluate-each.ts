/** Evaluates an operation that is two (a payment whose PSBT others sign): the rules must allow both. */
import { evaluate } from './evaluate.ts';
import type { PastSpending, Policy, Spending, SpendingOperation, Verdict } from './policy.ts';

export const asEach = (spending: Spending, also: SpendingOperation | undefined): Spending[] =>
  also === undefined ? [spending] : [spending, { ...spending, operation: also }];

export const evaluateEach = (
  policies: readonly Policy[],
  defaultAction: 'allow' | 'deny',
  spendings: readonly Spending[],
  past: PastSpending,
): Verdict => spendings.map((one) => evaluate(policies, defaultAction, one, past)).reduce(bothOf);

/** The stricter of the two actions applies. */
export const ACTION_WEIGHT = { allow: 0, approve: 1, deny: 2 } as const;

function bothOf(one: Verdict, other: Verdict): Verdict {
  const isNew = ({ policyId }: { policyId: string }) => one.policies.every((policy) => policy.policyId !== policyId);
  return {
    action: ACTION_WEIGHT[one.action] >= ACTION_WEIGHT[other.action] ? one.action : other.action,
    policies: [...one.policies, ...other.policies.filter(isNew)],
    requirements: [...one.requirements, ...other.requirements.filter(isNew)],
    message: one.message ?? other.message,
  };
}
