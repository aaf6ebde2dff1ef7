/** Evaluates the rules for one operation: every rule that matches counts. */
import { type Matched, matchesBesideWindow, windowFigures, windowText } from './match.ts';
import type { Listed, PastSpending, Policy, PolicyAction, Spending, Verdict } from './policy.ts';
import { indexed, type SpendingIndex } from './spending-index.ts';

/** The rules whose conditions all match an operation, but for their windows: these need the earlier spending. */
export interface Candidates {
  readonly spending: Spending;
  readonly index: SpendingIndex;
  readonly rules: readonly {
    readonly policy: Policy;
    readonly matched: Matched;
    /** False: it matches only by an address book entry that is not effective yet. */
    readonly permits: boolean;
  }[];
}

export function candidatesOf(policies: readonly Policy[], spending: Spending, index = indexed(spending)): Candidates {
  const rules = policies.flatMap((policy) => {
    const matched = policy.enabled ? matchesBesideWindow(policy, spending, index) : null;
    if (matched === null) return [];
    const { named, effective } = index;
    const permits =
      named === effective || matchesBesideWindow(policy, spending, { ...index, named: effective }) !== null;
    return { policy, matched, permits };
  });
  return { spending, index, rules };
}

/**
 * Denied if any matching rule denies; else it needs the approvals of all matching `approve` rules; else allowed. If none matches: the default.
 * What the default denies is permitted by effective entries of the address book only, and not by `screening`. A payee on a screening list is denied where no matching
 * rule has a condition for that list.
 * `past` is only called for the sums that `windowsOf` returns. The order of the rules makes no difference.
 */
export function verdictOf(candidates: Candidates, defaultAction: 'allow' | 'deny', past: PastSpending): Verdict {
  const matching = matchingOf(candidates, past);
  const denials = matching.flatMap(({ policy: { then } }) => (then.action === 'deny' ? [then] : []));
  const requirements = matching.flatMap(({ policy: { policyId, then } }) =>
    then.action === 'approve'
      ? [{ policyId, required: then.required, from: then.from, expiresInHours: then.expiresInHours }]
      : [],
  );
  const listed = undecided(matching, candidates.spending);
  return {
    action: listed.length > 0 ? 'deny' : actionOf(matching, denials.length, requirements.length, defaultAction),
    policies: matching.map(({ policy: { policyId, name, then }, matched }) => ({
      policyId,
      name,
      action: then.action,
      matched,
    })),
    requirements,
    message: listed[0] === undefined ? (denials[0]?.message ?? null) : listedText(listed[0]),
    listed,
  };
}

const listedText = ({ address, name, listId }: Listed): string =>
  `${address} is on the screening list "${name}" (${listId}), and no rule with \`screening\` decides that`;

function undecided(matching: Candidates['rules'], { listed = [] }: Spending): Listed[] {
  const deciding = matching.flatMap(({ policy: { when }, permits }) => (permits && when.screening) || []);
  return listed.filter(({ listId }) => !deciding.some(({ lists }) => lists === undefined || lists.includes(listId)));
}

function actionOf(
  matching: Candidates['rules'],
  denials: number,
  requirements: number,
  defaultAction: 'allow' | 'deny',
): PolicyAction['action'] {
  // One payee on a list says nothing of the others: a rule that only asks for that permits none of them.
  const permits = matching.some(({ permits, policy: { when } }) => permits && !(when.screening && !when.destinations));
  if (matching.length === 0 || (defaultAction === 'deny' && !permits)) return defaultAction;
  if (denials > 0) return 'deny';
  return requirements > 0 ? 'approve' : 'allow';
}

function matchingOf({ rules, spending, index }: Candidates, past: PastSpending): Candidates['rules'] {
  const figures = windowFigures(spending, index, past);
  return rules
    .flatMap((rule) => {
      const { window } = rule.policy.when;
      if (window === undefined) return rule;
      const text = windowText(window, figures(window.per, window.hours));
      return text === null ? [] : { ...rule, matched: { ...rule.matched, window: text } };
    })
    .toSorted((a, b) => byPosition(a.policy, b.policy));
}

/** Positions are unique within an account; proposed rules are ordered by id. */
function byPosition(a: Policy, b: Policy): number {
  return a.position - b.position || (a.policyId < b.policyId ? -1 : 1);
}
