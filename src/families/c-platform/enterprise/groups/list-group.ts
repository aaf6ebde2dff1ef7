import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { GroupManagement } from '../../../../services/policies/manage-groups.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { nameField, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { group, groupExample } from './group-answer.ts';

export const listGroup = (groups: GroupManagement) =>
  operation({
    id: 'group.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/enterprise/groups',
    summary: "The account's groups",
    tag: 'Groups',
    effect: 'read',
    access: { scope: 'policies:read', role: 'operator' },
    query: z.strictObject({ ...pageQuery, name: nameField.optional() }),
    success: { status: 200, answer: paginated(group), description: 'A page of groups, newest first' },
    example: { query: { limit: '20' }, response: pageExample(groupExample) },
    run: ({ query: { name, ...page } }, context) => groups.page(omitUndefined({ name }), pageOf(page), context),
  });
