import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { PolicyManagement } from '../../../../services/policies/manage-policies.ts';
import { policy, policyExample, policyParams } from './policy-answer.ts';

export const deletePolicy = (policies: PolicyManagement) =>
  operation({
    id: 'policy.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/enterprise/policies/{policy_id}',
    summary: 'Delete a rule',
    description: 'What waits for approvals that it required goes on waiting for them.',
    tag: 'Policies',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: policy,
    params: policyParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found'],
    example: { params: { policy_id: policyExample.policy_id } },
    run: ({ params }, context) => policies.delete(params.policy_id, context),
    present: () => undefined,
  });
