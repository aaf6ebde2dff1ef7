import type { UpdateData } from '../../core/events/channels.ts';
import type { NewEvent } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';

/** Written in the jobs that open and close an approval. */
export const approvalEvent = ({
  accountId,
  approvalId,
  status,
  reason,
}: Pick<ApprovalRecord, 'accountId' | 'approvalId' | 'status' | 'reason'>): NewEvent => ({
  accountId,
  channel: 'approvals',
  ref: approvalId,
  data: { approval_id: approvalId, status, reason } satisfies UpdateData['approvals'],
});
