import { operation } from '../../../../hooks/operation.ts';
import type { ApprovalService } from '../../../../services/approvals/approval-service.ts';
import { approval, approvalExample, approvalParams } from '../../../approvals/approval-answer.ts';

export const getApproval = (approvals: ApprovalService) =>
  operation({
    id: 'approval.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/approvals/{approval_id}',
    summary: 'An approval, with all that is approved by it',
    description:
      'A secret `result` (a new API key, a backup) is answered to a signed request alone: whoever got hold of the bearer token must not get ' +
      'a greater credential with it.',
    tag: 'Approvals',
    effect: 'read',
    bindsSignature: true,
    access: { scope: 'approvals:read', role: 'operator' },
    params: approvalParams,
    success: { status: 200, answer: approval, description: 'The approval with its votes' },
    errors: ['not_found'],
    example: { params: { approval_id: approvalExample.approval_id }, response: approvalExample },
    run: ({ params }, context) => approvals.get(params.approval_id, context),
  });
