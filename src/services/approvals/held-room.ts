import { DomainError } from '../../core/errors.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { ownVoice } from '../policies/pass-change.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { type AskerAccess, whyNoLonger } from './asked-by.ts';
import { failApproval } from './open-approval.ts';

/** Each stores its request until it ends. One initiator cannot use up the account's limit. */
const MAX_HELD = { ofAccount: 100, ofAsker: 30 };

type Waiting = Awaited<ReturnType<Repositories['approvals']['held']>>[number];

/**
 * In the job that holds another request. If the limit is reached, requests first fail whose initiator has ended or may no longer make them:
 * they would fail with their last vote.
 */
export async function makeRoom(
  tx: Repositories,
  { accountId, credential }: Pick<RequestContext, 'accountId' | 'credential'>,
  accessOf: (approval: Pick<ApprovalRecord, 'requestOf'>) => AskerAccess,
  now: number,
): Promise<void> {
  const refusalAmong = (waiting: readonly Waiting[]): string | null => {
    const own = waiting.filter(({ initiator }) => ownVoice(initiator) === ownVoice(credential)).length;
    if (own >= MAX_HELD.ofAsker) return `${own} requests of yours`;
    return waiting.length >= MAX_HELD.ofAccount ? `${waiting.length} requests of this account` : null;
  };
  const waiting = await tx.approvals.held(accountId);
  if (refusalAmong(waiting) === null) return;
  const left: Waiting[] = [];
  for (const one of waiting) {
    const reason = await whyNoLonger(tx, { ...one, accountId }, accessOf(one), now);
    if (reason === null) left.push(one);
    else await failApproval(tx, { ...one, accountId }, reason, now);
  }
  const refusal = refusalAmong(left);
  if (refusal === null) return;
  throw new DomainError('policy_refused', `${refusal} wait for approval: have some approved or rejected first`);
}
