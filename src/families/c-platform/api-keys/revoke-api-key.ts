import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ApiKeyManagement } from '../../../services/credentials/manage-api-keys.ts';
import { apiKeyExample, apiKeyParams } from './api-key-answer.ts';

export const revokeApiKey = (apiKeys: ApiKeyManagement) =>
  operation({
    id: 'api-key.revoke',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/api-keys/{api_key_id}',
    summary: 'Revoke an API key',
    description:
      'By an administrator who has its role and scopes; with the keys that sign for it. When this is answered no process of the service takes the key any more. A successor that the ' +
      'key was rotated to stands.',
    tag: 'API keys',
    effect: 'write',
    access: { scope: 'api-keys:write', role: 'admin' },
    changesRules: false,
    params: apiKeyParams,
    success: { status: 204, schema: z.undefined(), description: 'Revoked, now or before' },
    errors: ['not_found'],
    example: { params: { api_key_id: apiKeyExample.api_key_id } },
    run: async ({ params }, context): Promise<null> => {
      await apiKeys.revoke(params.api_key_id, context);
      return null;
    },
    present: () => undefined,
  });
