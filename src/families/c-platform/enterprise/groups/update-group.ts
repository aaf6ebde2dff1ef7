import { operation } from '../../../../hooks/operation.ts';
import type { GroupManagement } from '../../../../services/policies/manage-groups.ts';
import { namedRequest } from '../../../fields.ts';
import { group, groupExample, groupFields, groupParams } from './group-answer.ts';

export const updateGroup = (groups: GroupManagement) =>
  operation({
    id: 'group.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/enterprise/groups/{group_id}',
    summary: 'Change a group',
    description:
      'What is left out stays as it is; a list of members is replaced as a whole. Refused where a rule that names the group would be left ' +
      'with fewer people than must approve.',
    tag: 'Groups',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: group,
    params: groupParams,
    body: namedRequest('GroupUpdate', groupFields).partial(),
    success: { status: 200, answer: group, description: 'The group as it is now' },
    errors: ['not_found', 'policy_refused'],
    example: {
      params: { group_id: groupExample.group_id },
      body: { name: 'board' },
      response: { ...groupExample, name: 'board' },
    },
    run: ({ params, body }, context) => {
      const { user_ids: userIds, api_key_ids: apiKeyIds, oauth_client_ids: oauthClientIds, name } = body;
      return groups.update(params.group_id, { name, userIds, apiKeyIds, oauthClientIds }, context);
    },
  });
