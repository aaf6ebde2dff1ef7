import { z } from 'zod';
import { SPENDING_OPERATIONS } from '../../../../core/policies/policy.ts';
import { operation } from '../../../../hooks/operation.ts';
import { APPROVAL_STATUSES, type ApprovalService } from '../../../../services/approvals/approval-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { listedApproval, listedApprovalExample } from '../../../approvals/approval-answer.ts';
import { pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';

export const listApproval = (approvals: ApprovalService) =>
  operation({
    id: 'approval.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/approvals',
    summary: 'What waits, or waited, for approval',
    tag: 'Approvals',
    effect: 'read',
    access: { scope: 'approvals:read', role: 'operator' },
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(APPROVAL_STATUSES).optional(),
      operation: z
        .enum(SPENDING_OPERATIONS)
        .or(z.string().regex(/^[a-z-]+\.[a-z-]+$/, 'must be what rules name, or the id of an operation'))
        .optional()
        .meta({ description: 'As rules name it, or the id of the operation that changes the rules' }),
    }),
    success: { status: 200, answer: paginated(listedApproval), description: 'A page of approvals, newest first' },
    example: { query: { status: 'pending' }, response: pageExample(listedApprovalExample) },
    run: ({ query }, context) => {
      const { status, operation: asked } = query;
      return approvals.list(omitUndefined({ status, operation: asked }), pageOf(query), context);
    },
  });
