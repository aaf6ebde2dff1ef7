import { operation } from '../../../../hooks/operation.ts';
import type { PolicyManagement } from '../../../../services/policies/manage-policies.ts';
import { namedRequest } from '../../../fields.ts';
import { policy, policyExample, policyParams } from './policy-answer.ts';
import { actionOf, conditionsOf, policyShape } from './policy-fields.ts';

export const updatePolicy = (policies: PolicyManagement) =>
  operation({
    id: 'policy.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/enterprise/policies/{policy_id}',
    summary: 'Change a rule',
    description: 'What is left out stays as it is; `when` and `then` are replaced as a whole.',
    tag: 'Policies',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: policy,
    params: policyParams,
    body: namedRequest('PolicyUpdate', policyShape).partial(),
    success: { status: 200, answer: policy, description: 'The rule as it is now' },
    errors: ['not_found', 'policy_refused'],
    example: {
      params: { policy_id: policyExample.policy_id },
      body: { enabled: false },
      response: { ...policyExample, enabled: false },
    },
    run: ({ params, body: { when, then, ...rest } }, context) =>
      policies.update(
        params.policy_id,
        { ...rest, when: when && conditionsOf(when), then: then && actionOf(then) },
        context,
      ),
  });
