import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { GroupManagement } from '../../../../services/policies/manage-groups.ts';
import { group, groupExample, groupParams } from './group-answer.ts';

export const deleteGroup = (groups: GroupManagement) =>
  operation({
    id: 'group.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/enterprise/groups/{group_id}',
    summary: 'Delete a group',
    description: 'Not while a rule, or policy_change of the config, names it.',
    tag: 'Groups',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: group,
    params: groupParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { group_id: groupExample.group_id } },
    run: ({ params }, context) => groups.delete(params.group_id, context),
    present: () => undefined,
  });
