import { operation } from '../../../../hooks/operation.ts';
import type { PolicyManagement } from '../../../../services/policies/manage-policies.ts';
import { policy, policyExample } from './policy-answer.ts';
import { actionOf, conditionsOf, policyBody } from './policy-fields.ts';

export const createPolicy = (policies: PolicyManagement) =>
  operation({
    id: 'policy.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/policies',
    summary: 'Make a rule',
    description:
      'In force when this is answered, for everything that is not committed yet. Every rule that matches counts: one that denies denies, ' +
      'what all others require must be had. Limits hold above their bound, not at it. An account has at most 200 rules, which name at ' +
      'most 5,000 people, keys, groups, wallets, entries and tags together, and those that are enabled have windows of at most 10 ' +
      'different lengths per destination.',
    tag: 'Policies',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: policy,
    body: policyBody,
    success: { status: 201, answer: policy, description: 'The rule' },
    errors: ['not_found', 'policy_refused'],
    example: {
      body: {
        name: policyExample.name,
        when: { operations: ['payment'], amount_over: '0.5' },
        then: policyExample.then,
      },
      response: policyExample,
    },
    run: ({ body: { when, then, ...rest } }, context) =>
      policies.create({ ...rest, when: conditionsOf(when), then: actionOf(then) }, context),
  });
