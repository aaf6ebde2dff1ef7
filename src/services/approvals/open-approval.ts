/** Opens an approval in the job that stores what waits for it, ends it in the one that does that, and fails it when it can no longer be done. */
import type { AccountId, ApprovalId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import { type ApprovalText, digestOfText, textOfApproval } from '../../core/policies/approval-text.ts';
import type { Requirement } from '../../core/policies/policy.ts';
import type { WalletId } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';
import type { Repositories } from '../../store/store.ts';
import type { Credential } from '../requests/request-context.ts';
import { approvalEvent } from './approval-event.ts';

export interface NewApproval {
  /** apr_… */
  readonly approvalId: ApprovalId;
  readonly accountId: AccountId;
  readonly network: Network;
  readonly operation: string;
  /** What waits for it: the unsigned txid of a payment. */
  readonly subject: string;
  readonly walletId: WalletId | null;
  readonly initiator: Pick<Credential, 'kind' | 'id' | 'countsAs'>;
  /** What is approved (ApprovalText), as canonical JSON. */
  readonly signs: string;
  readonly requirements: readonly Requirement[];
  readonly asked: ApprovalRecord['asked'];
  /** Set for a held request; null if what waits has its own record. */
  readonly requestOf: string | null;
  readonly request: string | null;
}

const HOUR_MS = 3_600_000;

/** In the job that stores what waits. It expires with the first of its requirements. */
export async function openApproval(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  { network, signs, ...given }: NewApproval,
  now: number,
): Promise<ApprovalRecord> {
  const { approvalId, accountId, operation, requirements, initiator } = given;
  const { kind, id, countsAs } = initiator;
  if (requirements.length === 0) throw new Error(`${given.subject} has no requirements`);
  const text = textOfApproval(headOf({ approvalId, accountId, network, operation, initiator }), signs);
  const approval: ApprovalRecord = {
    ...{ ...given, text, digest: digestOfText(text), initiator: { kind, id, countsAs } },
    ...{
      status: 'pending',
      reason: null,
      closedAt: null,
      doneAt: null,
      result: null,
      resultUntil: null,
      createdAt: now,
    },
    expiresAt: now + Math.min(...requirements.map(({ expiresInHours }) => expiresInHours)) * HOUR_MS,
  };
  await tx.approvals.insert(approval);
  await tx.events.append(approvalEvent(approval));
  return approval;
}

/** The text's members beside `signs`. */
export const headOf = ({
  approvalId,
  accountId,
  network,
  operation,
  initiator: { kind, id, countsAs },
}: Pick<NewApproval, 'approvalId' | 'accountId' | 'network' | 'operation' | 'initiator'>): Omit<
  ApprovalText,
  'signs'
> => ({
  ...{ version: 1, approval_id: approvalId, account_id: accountId, network, operation },
  initiator: { kind, id, counts_as: countsAs },
});

/** Fails an approval that is pending, or approved and not carried out, because that is no longer possible. False if it is closed. */
export async function failApproval(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  approval: Pick<ApprovalRecord, 'accountId' | 'approvalId'>,
  reason: string,
  now: number,
): Promise<boolean> {
  const closed = await tx.approvals.close(approval, { status: 'failed', reason, closedAt: now });
  if (!closed && !(await tx.approvals.fail(approval, reason))) return false;
  await tx.events.append(approvalEvent({ ...approval, status: 'failed', reason }));
  return true;
}

/** In the job of its effect. False if it was already carried out, or if the account is frozen. `kept`: the result of a held request. */
export async function doneApproval(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  approval: Pick<ApprovalRecord, 'accountId' | 'approvalId'>,
  now: number,
  kept?: Pick<ApprovalRecord, 'result' | 'resultUntil'>,
): Promise<boolean> {
  if (!(await tx.approvals.done(approval, now, kept))) return false;
  await tx.events.append(approvalEvent({ ...approval, status: 'approved', reason: null }, { done: true }));
  return true;
}
