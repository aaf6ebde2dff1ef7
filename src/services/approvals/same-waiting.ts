import { canonicalJson } from '../../core/audit-log/canonical-json.ts';
import { voiceOf } from '../../core/policies/policy.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import { readRules } from '../policies/rules-of.ts';
import { type ApprovalView, viewOfApproval } from './approval-view.ts';
import type { NewApproval } from './open-approval.ts';

type Asked = Pick<NewApproval, 'accountId' | 'subject' | 'operation' | 'initiator' | 'signs' | 'requirements'>;

/** The request of the same person that waits already, would sign the very same, and needs the same approvals; null where there is none. */
export async function sameWaiting(
  tx: Repositories,
  requestOf: string,
  asked: Asked,
  now: number,
): Promise<ApprovalView | null> {
  const { accountId } = asked;
  /** Long, and the same for all that wait. */
  let signs: string | undefined;
  for (const one of await tx.approvals.heldAbout(accountId, asked.subject)) {
    if (one.requestOf !== requestOf) continue;
    const found = await tx.approvals.findForUpdate(accountId, one.approvalId);
    if (found?.status !== 'pending' || found.expiresAt <= now) continue;
    signs ??= `"signs":${canonicalJson(asked.signs)}`;
    if (!isSame(found, asked) || !found.text.includes(signs)) continue;
    const votes = await tx.approvalVotes.of(accountId, found.approvalId);
    return viewOfApproval(tx, found, { votes, rules: await readRules(tx, accountId), now });
  }
  return null;
}

const voice = ({ countsAs, id }: Pick<Asked['initiator'], 'countsAs' | 'id'>): string =>
  voiceOf({ userId: countsAs, credentialId: id });

/** But for what is signed: a member of the canonical text. */
const isSame = ({ operation, initiator, requirements }: ApprovalRecord, asked: Asked): boolean =>
  operation === asked.operation &&
  voice(initiator) === voice(asked.initiator) &&
  canonicalJson(requirements) === canonicalJson(asked.requirements);
