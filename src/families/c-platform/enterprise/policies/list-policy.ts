import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { PolicyManagement } from '../../../../services/policies/manage-policies.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { booleanQuery, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { policy, policyExample } from './policy-answer.ts';

export const listPolicy = (policies: PolicyManagement) =>
  operation({
    id: 'policy.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/policies',
    summary: "The account's rules",
    tag: 'Policies',
    effect: 'read',
    access: { scope: 'policies:read', role: 'operator' },
    query: z.strictObject({ ...pageQuery, enabled: booleanQuery.optional() }),
    success: { status: 200, answer: paginated(policy), description: 'A page of rules, by position' },
    example: { query: { limit: '20' }, response: pageExample(policyExample) },
    run: ({ query: { enabled, ...page } }, context) => policies.page(omitUndefined({ enabled }), pageOf(page), context),
  });
