import { operation } from '../../../../hooks/operation.ts';
import type { PolicyManagement } from '../../../../services/policies/manage-policies.ts';
import { policy, policyExample, policyParams } from './policy-answer.ts';

export const getPolicy = (policies: PolicyManagement) =>
  operation({
    id: 'policy.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/policies/{policy_id}',
    summary: 'A rule',
    tag: 'Policies',
    effect: 'read',
    access: { scope: 'policies:read', role: 'operator' },
    params: policyParams,
    success: { status: 200, answer: policy, description: 'The rule' },
    errors: ['not_found'],
    example: { params: { policy_id: policyExample.policy_id }, response: policyExample },
    run: ({ params }, context) => policies.get(params.policy_id, context),
  });
