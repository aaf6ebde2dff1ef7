/** Checks a vote, stores it with its evidence, counts, and closes the approval if it decides, in one job. */

import { DomainError } from '../../core/errors.ts';
import type { AccountId, ApprovalId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import { voiceOf } from '../../core/policies/policy.ts';
import { mayApprove } from '../../core/policies/requirements.ts';
import type { ApprovalVoteRecord } from '../../store/repositories/approval-votes.ts';
import type { OpenApproval } from '../../store/repositories/approvals.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { ownVoice } from '../policies/pass-change.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext, RequestSignature } from '../requests/request-context.ts';
import { retried } from '../transactions/make-transaction.ts';
import { approvalEvent } from './approval-event.ts';
import type { SubjectOf } from './approval-subject.ts';
import { type ApprovalView, requireApproval, viewOfApproval } from './approval-view.ts';
import { judgeAgain } from './judge-again.ts';
import { countVotes, voterOf } from './voters.ts';

export interface VoteRequest {
  readonly decision: ApprovalVoteRecord['decision'];
  /** The digest of the text that the voter saw and signs. */
  readonly digest: string;
  readonly comment: string | null;
  /** The body as sent: the signature covers its digest. */
  readonly body: string;
}

/** Reads an account's rules, in a job or outside. */
export type ReadRules = (tx: Repositories, accountId: AccountId) => Promise<Pick<AccountRules, 'groupsOf'>>;

export interface VoteDependencies {
  readonly store: Pick<Store, 'write'>;
  readonly rulesOf: ReadRules;
  readonly subjectOf: SubjectOf;
  readonly clock: () => number;
}

type Vote = (approvalId: ApprovalId, request: VoteRequest, context: RequestContext) => Promise<ApprovalView>;

export function createVote({ store, rulesOf, subjectOf, clock }: VoteDependencies): Vote {
  /** Returns the record including the vote. */
  async function decide(
    tx: Repositories,
    approval: OpenApproval,
    vote: ApprovalVoteRecord,
    { votes, rules, now }: { votes: readonly ApprovalVoteRecord[]; rules: Awaited<ReturnType<ReadRules>>; now: number },
  ): Promise<OpenApproval> {
    const close = async (status: 'approved' | 'rejected' | 'failed', reason: string | null) => {
      const end = { status, reason, closedAt: now };
      await tx.approvals.close(approval, end);
      const closed = { ...approval, ...end };
      await tx.events.append(approvalEvent(closed));
      if (status !== 'approved') await subjectOf(approval).ended(tx, closed, reason ?? status, now);
      return closed;
    };
    if (vote.decision === 'reject') {
      return close('rejected', `rejected by ${vote.countsAs ?? vote.credentialId}${said(vote.comment)}`);
    }
    const { states, positions } = await countVotes(tx, approval, votes, rules, now);
    if (!states.every(({ met }) => met)) return approval;
    const { denied, requirements } = await judgeAgain(tx, subjectOf(approval), approval, now);
    if (denied !== null) return close('failed', denied);
    const asWanted = { ...approval, requirements };
    const wanted = await countVotes(tx, asWanted, votes, rules, now);
    if (!wanted.states.every(({ met }) => met)) {
      await tx.approvals.require(approval, requirements);
      return asWanted;
    }
    await tx.approvalVotes.count(approval.accountId, approval.approvalId, positions);
    return close('approved', null);
  }

  /** Locks in the order of all jobs: the account's rules and windows, the waiting record, its approval. */
  async function held(tx: Repositories, accountId: AccountId, approvalId: ApprovalId): Promise<OpenApproval> {
    const found = await requireApproval(tx.approvals.findListed, accountId, approvalId);
    await tx.enterpriseConfig.lock(accountId);
    await subjectOf(found).hold?.(tx, found);
    return requireApproval(tx.approvals.findForUpdate, accountId, approvalId);
  }

  return async (approvalId, request, context) => {
    const signature = evidenceOf(context);
    const { accountId } = context;
    // Repeated if the rules change at the same time.
    return retried(() =>
      store.write(async (tx) => {
        const now = clock();
        const approval = await held(tx, accountId, approvalId);
        assertOpen(approval, now);
        if (request.digest !== approval.digest) {
          throw new DomainError(
            'state_conflict',
            `the digest is not that of ${approvalId}: read the approval again, check its text and send its digest`,
            { field: 'digest' },
          );
        }
        const rules = await rulesOf(tx, accountId);
        const votes = await tx.approvalVotes.of(accountId, approvalId);
        await assertMayVote(tx, approval, { votes, rules, now }, request.decision, context);
        const vote = await keepVote(tx, { approval, votes, rules, now }, { request, context, signature });
        const all = [...votes, vote];
        const after = await decide(tx, approval, vote, { votes: all, rules, now });
        const result = await viewOfApproval(tx, after, {
          votes: await tx.approvalVotes.of(accountId, approvalId),
          rules,
          now,
        });
        await recordRequest(tx, context, { result, target: approvalId });
        return result;
      }),
    );
  };
}

const said = (comment: string | null): string => (comment === null ? '' : `: ${comment}`);

type Evidence = RequestSignature & { readonly base: string; readonly value: string };

/** Throws `forbidden` without a signature, because nothing would prove the vote later. */
function evidenceOf({ facts, credential }: RequestContext): Evidence {
  const { signature } = facts;
  if (credential.requireSignature && signature !== null && signature.base !== null && signature.value !== null) {
    return signature as Evidence;
  }
  throw new DomainError(
    'forbidden',
    'only credentials that must sign their requests can vote: the signature is the approval',
  );
}

function assertOpen({ approvalId, status, reason, expiresAt }: OpenApproval, now: number): void {
  const over = status === 'pending' && expiresAt <= now ? 'expired' : status;
  if (over === 'pending') return;
  throw new DomainError('state_conflict', `${approvalId} is closed: it is ${over}${said(reason)}`, {
    field: 'approval_id',
  });
}

/** Approvers may reject; the initiator may withdraw. */
async function assertMayVote(
  tx: Repositories,
  approval: OpenApproval,
  { votes, rules, now }: { votes: readonly ApprovalVoteRecord[]; rules: Awaited<ReturnType<ReadRules>>; now: number },
  decision: VoteRequest['decision'],
  { credential }: RequestContext,
): Promise<void> {
  const voter = voterOf(credential, rules);
  const voice = voiceOf(voter);
  const own = voice === ownVoice(approval.initiator);
  const { proposer } = approval.asked;
  if (own && decision === 'reject') return;
  if (own || (proposer && voice === ownVoice(proposer) && decision === 'approve')) {
    throw new DomainError(
      'forbidden',
      `${voice} requested it: initiators cannot approve their own requests, whichever credential they use`,
    );
  }
  if (!approval.requirements.some(({ from }) => mayApprove(from, voter))) {
    throw new DomainError('forbidden', `${voice} is not one of the approvers of ${approval.approvalId}`);
  }
  if (decision === 'reject') return;
  const { voices } = await countVotes(tx, approval, votes, rules, now);
  if (!voices.has(voice)) return;
  throw new DomainError('state_conflict', `you have already approved ${approval.approvalId}, as ${voice}`, {
    field: 'approval_id',
  });
}

async function keepVote(
  tx: Repositories,
  {
    approval: { accountId, approvalId },
    votes,
    rules,
    now,
  }: { approval: OpenApproval; votes: readonly unknown[]; rules: Awaited<ReturnType<ReadRules>>; now: number },
  { request, context, signature }: { request: VoteRequest; context: RequestContext; signature: Evidence },
): Promise<ApprovalVoteRecord> {
  const { credential, facts } = context;
  const { keyId, nonce, base, value } = signature;
  const key = await tx.signingKeys.find(accountId, keyId);
  if (key === null) throw new Error(`the signing key ${keyId} is not enrolled`);
  const { groups, role } = voterOf(credential, rules);
  const { decision, comment, body } = request;
  const vote: ApprovalVoteRecord = {
    ...{ accountId, approvalId, position: votes.length + 1, decision, comment, body },
    ...{ credentialKind: credential.kind, credentialId: credential.id, countsAs: credential.countsAs },
    ...{ role, groupIds: groups, keyId, publicJwk: key.publicJwk, nonce, path: facts.target },
    ...{ signatureBase: base, signature: value, counted: false, createdAt: now },
  };
  await tx.approvalVotes.insert(vote);
  return vote;
}
