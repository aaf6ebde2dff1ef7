import type { UpdateData } from '../../core/events/channels.ts';
import type { NewEvent } from '../../store/records.ts';
import type { ApprovalRecord } from '../../store/repositories/approvals.ts';

/** Written in the jobs that open and close an approval, and in the one that carries it out (`done`). */
export const approvalEvent = (
  { accountId, approvalId, status, reason }: Pick<ApprovalRecord, 'accountId' | 'approvalId' | 'status' | 'reason'>,
  more: Pick<UpdateData['approvals'], 'done'> = {},
): NewEvent => ({
  accountId,
  channel: 'approvals',
  ref: approvalId,
  data: { approval_id: approvalId, status, reason, ...more } satisfies UpdateData['approvals'],
});
