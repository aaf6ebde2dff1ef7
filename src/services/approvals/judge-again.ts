/** Checks a waiting operation again, in a job that has locked it (`ApprovalSubject.hold`): the initiator's rights and the current rules. */
import type { AccountRules } from '../../core/policies/account-rules.ts';
import { unmetBy } from '../../core/policies/requirements.ts';
import type { OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { ApprovalSubject } from './approval-subject.ts';
import { whyNoLonger } from './asked-by.ts';
import { countVotes } from './voters.ts';

/** `denied`: why it may not be carried out; else null and the requirements of the current rules. */
export async function judgeAgain(
  tx: Repositories,
  subject: ApprovalSubject,
  approval: OpenApproval,
  now: number,
): ReturnType<ApprovalSubject['askAgain']> {
  const denied = await whyNoLonger(tx, approval, subject.accessOf(approval), now);
  return denied === null ? subject.askAgain(tx, approval, now) : { denied, requirements: [] };
}

/**
 * Why an approved operation may not be carried out; null if it may. That can be long after the approval: the node was unreachable, or the
 * account frozen. Requirements that were met stay met; for those that were added since, the existing votes count.
 */
export async function whyNotDone(
  tx: Repositories,
  subject: ApprovalSubject,
  approval: OpenApproval,
  { rules, now }: { rules: Pick<AccountRules, 'groupsOf'>; now: number },
): Promise<string | null> {
  const { denied, requirements } = await judgeAgain(tx, subject, approval, now);
  if (denied !== null) return denied;
  const added = unmetBy(requirements, approval.requirements);
  if (added.length === 0) return null;
  const votes = await tx.approvalVotes.of(approval.accountId, approval.approvalId);
  const { states } = await countVotes(tx, { ...approval, requirements: added }, votes, rules, now);
  const unmet = states.find((state) => !state.met);
  if (unmet === undefined) return null;
  return `since it was approved, rule ${unmet.policyId} requires ${unmet.required} approvals and has ${unmet.votes.length}: repeat the request`;
}
