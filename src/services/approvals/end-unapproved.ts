import type { TransactionRecord, TransactionStatus } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { refusalOf } from '../transactions/transaction-states.ts';
import { failApproval } from './open-approval.ts';

/** The operation whose requests wait about a payment. */
export const ADDS_SIGNATURES = 'transaction-signature.create';

/**
 * The final status of a transaction, in the job that writes it: one that waits for approval becomes `failed`, whatever happened to the
 * transactions that it spends, and its approval is closed; so are those of signatures for one that waits for some.
 */
export async function endUnapprovedTransaction<
  E extends { readonly status: TransactionStatus; readonly reason: string },
>(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  record: TransactionRecord,
  end: E,
  now: number,
): Promise<E | { status: 'failed'; reason: string }> {
  const { accountId, status, approvalId } = record;
  if (status === 'awaiting_signature') await endHeldSignatures(tx, record, { ...record, ...end }, now);
  if (status !== 'awaiting_approval' || approvalId === null) return end;
  await failApproval(tx, { accountId, approvalId }, end.reason, now);
  return { status: 'failed', reason: end.reason };
}

/** In a job after which it waits for no signatures any more: nobody can approve some. `record`: as it waited. */
export async function endHeldSignatures(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  { accountId, unsignedTxid }: Pick<TransactionRecord, 'accountId' | 'unsignedTxid'>,
  after: Parameters<typeof refusalOf>[1],
  now: number,
): Promise<void> {
  const refusal = refusalOf('sign', after);
  if (refusal === null) return;
  for (const { requestOf, ...key } of await tx.approvals.heldAbout(accountId, unsignedTxid))
    if (requestOf === ADDS_SIGNATURES) await failApproval(tx, key, refusal.message, now);
}
