import { canonicalJson } from '../../core/audit-log/canonical-json.ts';
import { digestOfText, textOfApproval } from '../../core/policies/approval-text.ts';
import { voiceOf } from '../../core/policies/policy.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { readRules } from '../policies/rules-of.ts';
import { type ApprovalView, viewOfApproval } from './approval-view.ts';
import { headOf, type NewApproval } from './open-approval.ts';

type Asked = Omit<NewApproval, 'approvalId' | 'request'> & { readonly requestOf: string };

/** The request of the same person that waits already, would sign the very same, and needs the same approvals; null where there is none. */
export async function sameWaiting(tx: Repositories, asked: Asked, now: number): Promise<ApprovalView | null> {
  const { accountId, signs } = asked;
  // What waits may have megabytes: it is not read, but for its digest.
  const pause = createYielder();
  for (const { approvalId, requestOf, initiator, digest } of await tx.approvals.heldAbout(accountId, asked.subject)) {
    if (requestOf !== asked.requestOf || voice(initiator) !== voice(asked.initiator)) continue;
    await pause();
    if (digestOfText(textOfApproval(headOf({ ...asked, approvalId, initiator }), signs)) !== digest) continue;
    const found = await tx.approvals.findForUpdate(accountId, approvalId);
    if (found?.status !== 'pending' || found.expiresAt <= now || !needsTheSame(found, asked)) continue;
    const votes = await tx.approvalVotes.of(accountId, approvalId);
    return viewOfApproval(tx, found, { votes, rules: await readRules(tx, accountId), now });
  }
  return null;
}

const voice = ({ countsAs, id }: Pick<Asked['initiator'], 'countsAs' | 'id'>): string =>
  voiceOf({ userId: countsAs, credentialId: id });

const needsTheSame = ({ requirements }: Pick<ApprovalRecord, 'requirements'>, asked: Asked): boolean =>
  canonicalJson(requirements) === canonicalJson(asked.requirements);
