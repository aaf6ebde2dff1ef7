import { DomainError } from '../../core/errors.ts';
import type { AccountId, ApprovalId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { RequirementState } from '../../core/policies/requirements.ts';
import type { ApprovalVoteRecord } from '../../store/repositories/approval-votes.ts';
import type { ApprovalRecord, OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { ApprovalNames } from './names-in.ts';
import { countVotes } from './voters.ts';

/** A response, as JSON. */
export type HeldResult = Readonly<Record<string, unknown>>;

/** `counted`: while pending, by the current records; once approved, the votes that approved it. */
export interface ApprovalView
  extends Omit<ApprovalRecord, 'requirements' | 'request' | 'requestOf' | 'result' | 'resultUntil'> {
  /** The response of a held request, if the caller may read it. */
  readonly result: HeldResult | null;
  /** null in the answer to a vote or request. */
  readonly names: ApprovalNames | null;
  readonly requirements: readonly (Pick<RequirementState, 'policyId' | 'required' | 'from'> & {
    readonly approvals: number;
  })[];
  readonly votes: readonly ApprovalVoteRecord[];
}

export async function viewOfApproval(
  tx: Repositories,
  approval: OpenApproval,
  { votes, rules, now }: { votes: readonly ApprovalVoteRecord[]; rules: Pick<AccountRules, 'groupsOf'>; now: number },
): Promise<ApprovalView> {
  const { states, positions } = await countVotes(tx, approval, votes, rules, now);
  const pending = approval.status === 'pending';
  return {
    ...approval,
    // Voting does not give the right to read it.
    result: null,
    names: null,
    requirements: states.map(({ policyId, required, from, votes: counted }) => ({
      ...{ policyId, required, from, approvals: counted.length },
    })),
    votes: pending ? votes.map((vote) => ({ ...vote, counted: positions.includes(vote.position) })) : votes,
  };
}

/** Throws `not_found`. */
export async function requireApproval<T>(
  find: (accountId: AccountId, approvalId: ApprovalId) => Promise<T | null>,
  accountId: AccountId,
  approvalId: ApprovalId,
): Promise<T> {
  const approval = await find(accountId, approvalId);
  if (approval) return approval;
  throw new DomainError('not_found', `there is no approval ${approvalId}`, { field: 'approval_id' });
}
