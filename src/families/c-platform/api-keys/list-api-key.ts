import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ApiKeyManagement } from '../../../services/credentials/manage-api-keys.ts';
import { pageExample, paginated } from '../../answer.ts';
import { roleField } from '../../credential-fields.ts';
import { booleanQuery, nameField, pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { apiKey, apiKeyExample } from './api-key-answer.ts';

export const listApiKey = (apiKeys: ApiKeyManagement) =>
  operation({
    id: 'api-key.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/api-keys',
    summary: "The account's API keys",
    description: 'Those that are revoked or over, too; active=true leaves them out.',
    tag: 'API keys',
    effect: 'read',
    access: { scope: 'api-keys:read', role: 'viewer' },
    query: z.strictObject({
      ...pageQuery,
      name: nameField.optional(),
      role: roleField.optional(),
      active: booleanQuery.optional(),
    }),
    success: { status: 200, answer: paginated(apiKey), description: 'A page of keys, newest first' },
    example: {
      query: { limit: '20', active: 'true' },
      response: pageExample(apiKeyExample),
    },
    run: ({ query: { name, role, active, ...page } }, context) =>
      apiKeys.page(omitUndefined({ name, role, active }), pageOf(page), context),
  });
