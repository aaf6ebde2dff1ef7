import { operation } from '../../../hooks/operation.ts';
import type { ApiKeyManagement } from '../../../services/credentials/manage-api-keys.ts';
import { apiKey, apiKeyExample, apiKeyParams } from './api-key-answer.ts';

export const getApiKey = (apiKeys: ApiKeyManagement) =>
  operation({
    id: 'api-key.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/api-keys/{api_key_id}',
    summary: 'One API key',
    tag: 'API keys',
    effect: 'read',
    access: { scope: 'api-keys:read', role: 'viewer' },
    params: apiKeyParams,
    success: { status: 200, answer: apiKey, description: 'The record; never the key' },
    errors: ['not_found'],
    example: { params: { api_key_id: apiKeyExample.api_key_id }, response: apiKeyExample },
    run: ({ params }, context) => apiKeys.get(params.api_key_id, context),
  });
