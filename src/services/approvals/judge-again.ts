/** What waits, judged again in a write job that holds it (`ApprovalSubject.hold`): whoever asked, and the rules as they are. */
import { canonicalJson } from '../../core/audit-log/canonical-json.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { ApprovalSubject } from './approval-subject.ts';
import { whyNoLonger } from './asked-by.ts';
import { countVotes } from './voters.ts';

/** `denied`: why it may not be done; else the approvals that the rules want by now. */
export async function judgeAgain(
  tx: Repositories,
  subject: ApprovalSubject,
  approval: ApprovalRecord,
  now: number,
): ReturnType<ApprovalSubject['askAgain']> {
  const denied = await whyNoLonger(tx, approval, subject.accessOf(approval), now);
  return denied === null ? subject.askAgain(tx, approval, now) : { denied, requirements: [] };
}

/**
 * Of what was approved, before it is carried out, which may be long after: the node was away, or the account frozen. What was met stays met; what
 * rules want since then counts the votes that there are. null where it is to go on.
 */
export async function whyNotDone(
  tx: Repositories,
  subject: ApprovalSubject,
  approval: ApprovalRecord,
  { rules, now }: { rules: Pick<AccountRules, 'groupsOf'>; now: number },
): Promise<string | null> {
  const { denied, requirements } = await judgeAgain(tx, subject, approval, now);
  if (denied !== null) return denied;
  const met = new Set(approval.requirements.map((one) => canonicalJson(one)));
  const added = requirements.filter((one) => !met.has(canonicalJson(one)));
  if (added.length === 0) return null;
  const votes = await tx.approvalVotes.of(approval.accountId, approval.approvalId);
  const { states } = await countVotes(tx, { ...approval, requirements: added }, votes, rules, now);
  const unmet = states.find((state) => !state.met);
  if (unmet === undefined) return null;
  return `since it was approved, rule ${unmet.policyId} wants ${unmet.required} approvals, and has ${unmet.votes.length}: ask for it again`;
}
