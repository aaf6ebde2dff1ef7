import { operation } from '../../../../hooks/operation.ts';
import type { GroupManagement } from '../../../../services/policies/manage-groups.ts';
import { group, groupExample, groupParams } from './group-answer.ts';

export const getGroup = (groups: GroupManagement) =>
  operation({
    id: 'group.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/groups/{group_id}',
    summary: 'A group',
    tag: 'Groups',
    effect: 'read',
    access: { scope: 'policies:read', role: 'operator' },
    params: groupParams,
    success: { status: 200, answer: group, description: 'The group' },
    errors: ['not_found'],
    example: { params: { group_id: groupExample.group_id }, response: groupExample },
    run: ({ params }, context) => groups.get(params.group_id, context),
  });
