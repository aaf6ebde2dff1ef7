/** Evaluates an operation that is two (a payment whose PSBT others sign): the rules must allow both. */
import { type Candidates, candidatesOf, verdictOf } from './evaluate.ts';
import type { PastSpending, Policy, Spending, SpendingOperation, Verdict } from './policy.ts';

/** `also`: the second operation that it is. */
export function candidatesOfEach(
  policies: readonly Policy[],
  spending: Spending,
  also: SpendingOperation | undefined,
): Candidates[] {
  const first = candidatesOf(policies, spending);
  return also === undefined ? [first] : [first, candidatesOf(policies, { ...spending, operation: also }, first.index)];
}

export const verdictOfEach = (
  candidates: readonly Candidates[],
  defaultAction: 'allow' | 'deny',
  past: PastSpending,
): Verdict => candidates.map((one) => verdictOf(one, defaultAction, past)).reduce(bothOf);

/** The stricter of the two actions applies. */
export const ACTION_WEIGHT = { allow: 0, approve: 1, deny: 2 } as const;

function bothOf(one: Verdict, other: Verdict): Verdict {
  const isNew = ({ policyId }: { policyId: string }) => one.policies.every((policy) => policy.policyId !== policyId);
  return {
    action: ACTION_WEIGHT[one.action] >= ACTION_WEIGHT[other.action] ? one.action : other.action,
    policies: [...one.policies, ...other.policies.filter(isNew)],
    requirements: [...one.requirements, ...other.requirements.filter(isNew)],
    message: one.message ?? other.message,
    listed: [...one.listed, ...other.listed.filter((list) => one.listed.every(({ listId }) => listId !== list.listId))],
  };
}
