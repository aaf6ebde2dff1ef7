import type { TransactionRecord, TransactionStatus } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { failApproval } from './open-approval.ts';

/**
 * The final status of a transaction, in the job that writes it: one that waits for approval becomes `failed`, whatever happened to the
 * transactions that it spends, and its approval is closed.
 */
export async function endUnapprovedTransaction<
  E extends { readonly status: TransactionStatus; readonly reason: string },
>(
  tx: Pick<Repositories, 'approvals' | 'events'>,
  { accountId, status, approvalId }: Pick<TransactionRecord, 'accountId' | 'status' | 'approvalId'>,
  end: E,
  now: number,
): Promise<E | { status: 'failed'; reason: string }> {
  if (status !== 'awaiting_approval' || approvalId === null) return end;
  await failApproval(tx, { accountId, approvalId }, end.reason, now);
  return { status: 'failed', reason: end.reason };
}
