import { approvalExport } from '../../../../core/policies/verify-approval.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ApprovalService } from '../../../../services/approvals/approval-service.ts';
import { approvalExample, approvalParams, exportedApproval } from '../../../approvals/approval-answer.ts';

const { approval_id, status, text, digest, requirements } = approvalExample;

export const exportApproval = (approvals: ApprovalService) =>
  operation({
    id: 'approval.export',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/approvals/{approval_id}/export',
    summary: 'An approval as a file that can be verified without the service',
    description:
      'With what each vote signed, its signature and public key. `ashlar approvals verify FILE` checks it: [guide](/docs/approvals).',
    tag: 'Approvals',
    effect: 'read',
    access: { scope: 'approvals:read', role: 'operator' },
    params: approvalParams,
    success: { status: 200, schema: approvalExport.meta({ id: 'ApprovalExport' }), description: 'The file' },
    errors: ['not_found'],
    example: {
      params: { approval_id },
      response: {
        ...{ type: 'ashlar-approval', version: 1, approval_id, status, text, digest },
        requirements: requirements.map(({ approvals: _, ...one }) => one),
        votes: [],
      },
    },
    run: ({ params }, context) => approvals.get(params.approval_id, context),
    present: exportedApproval,
  });
