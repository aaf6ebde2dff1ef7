import { operation } from '../../../../hooks/operation.ts';
import { type GroupManagement, MAX_GROUPS, MAX_MEMBERS } from '../../../../services/policies/manage-groups.ts';
import { namedRequest } from '../../../fields.ts';
import { group, groupExample, groupFields } from './group-answer.ts';

const { user_ids, api_key_ids, oauth_client_ids } = groupFields;

export const createGroup = (groups: GroupManagement) =>
  operation({
    id: 'group.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/groups',
    summary: 'Make a group',
    description:
      'People and credentials that rules name together. A credential that counts as a person is in the groups of that person, too. ' +
      `An account has at most ${MAX_GROUPS} groups, a group at most ${MAX_MEMBERS} members.`,
    tag: 'Groups',
    effect: 'write',
    access: { scope: 'policies:write', role: 'admin' },
    changesRules: group,
    body: namedRequest('GroupRequest', {
      ...groupFields,
      user_ids: user_ids.default([]),
      api_key_ids: api_key_ids.default([]),
      oauth_client_ids: oauth_client_ids.default([]),
    }),
    success: { status: 201, answer: group, description: 'The group' },
    errors: ['not_found', 'policy_refused'],
    example: { body: { name: groupExample.name }, response: groupExample },
    run: ({ body: { name, ...members } }, context) =>
      groups.create(
        {
          name,
          userIds: members.user_ids,
          apiKeyIds: members.api_key_ids,
          oauthClientIds: members.oauth_client_ids,
        },
        context,
      ),
  });
