import { operation } from '../../../../hooks/operation.ts';
import type { ApprovalService } from '../../../../services/approvals/approval-service.ts';
import {
  approval,
  approvalExample,
  approvalParams,
  voteBody,
  voteExample,
} from '../../../approvals/approval-answer.ts';

export const rejectApproval = (approvals: ApprovalService) =>
  operation({
    id: 'approval.reject',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/approvals/{approval_id}/reject',
    summary: 'Reject',
    description:
      'By anyone who may approve, or by whoever asked for it, who so takes it back. One is enough: what waited is given up, and its coins are free.',
    tag: 'Approvals',
    effect: 'write',
    access: { scope: 'approvals:write', role: 'operator' },
    changesRules: false,
    params: approvalParams,
    body: voteBody,
    success: { status: 200, answer: approval, description: 'The approval, rejected' },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { approval_id: approvalExample.approval_id },
      body: voteExample,
      response: { ...approvalExample, status: 'rejected', closed_at: approvalExample.created_at },
    },
    run: ({ params, body: { digest, comment = null }, sent }, context) =>
      approvals.vote(params.approval_id, { decision: 'reject', digest, comment, body: sent() }, context),
  });
