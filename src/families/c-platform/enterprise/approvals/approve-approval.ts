import { operation } from '../../../../hooks/operation.ts';
import type { ApprovalService } from '../../../../services/approvals/approval-service.ts';
import {
  approval,
  approvalExample,
  approvalParams,
  voteBody,
  voteExample,
} from '../../../approvals/approval-answer.ts';

export const approveApproval = (approvals: ApprovalService) =>
  operation({
    id: 'approval.approve',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/approvals/{approval_id}/approve',
    summary: 'Approve',
    description:
      "The request's signature is the approval: it covers `digest`, which is that of the text. Whoever asked for it cannot approve it, with " +
      'whichever credential, and a person counts once. With the last vote that is needed the rules are asked again; then what was approved is ' +
      'signed and sent, after this answer.',
    tag: 'Approvals',
    effect: 'write',
    access: { scope: 'approvals:write', role: 'operator' },
    changesRules: false,
    params: approvalParams,
    body: voteBody,
    success: { status: 200, answer: approval, description: 'The approval as it stands with this vote' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { approval_id: approvalExample.approval_id }, body: voteExample, response: approvalExample },
    run: ({ params, body: { digest, comment = null }, sent }, context) =>
      approvals.vote(params.approval_id, { decision: 'approve', digest, comment, body: sent() }, context),
  });
