import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { USUAL_OVERLAP_SECONDS } from '../../../services/credentials/issue-api-key.ts';
import type { ApiKeyManagement } from '../../../services/credentials/manage-api-keys.ts';
import { expiresField, overlapField, publicKeyField } from '../../credential-fields.ts';
import { omitUndefined } from '../../optional-values.ts';
import { apiKey, apiKeyParams, issuedApiKey, issuedApiKeyExample } from './api-key-answer.ts';

export const rotateApiKey = (apiKeys: ApiKeyManagement) =>
  operation({
    id: 'api-key.rotate',
    family: 'c',
    method: 'POST',
    path: '/api/v1/api-keys/{api_key_id}/rotate',
    summary: 'Replace an API key by a successor',
    description:
      'The successor may do what the key may. The key works beside it until the overlap ends; with overlap_seconds 0 it ends at once, ' +
      'and a lost answer with it. A key that has a successor is not rotated again (409 names the successor). Administrators rotate any ' +
      'key that they could have made; every other credential only itself, and no further than its own expiry.',
    tag: 'API keys',
    effect: 'write',
    access: { scope: 'api-keys:write', role: 'operator' },
    changesRules: apiKey,
    secretAnswer: true,
    params: apiKeyParams,
    body: z
      .strictObject({
        overlap_seconds: overlapField('How long the key works beside its successor'),
        public_key: publicKeyField.optional(),
        expires_at: expiresField
          .optional()
          .meta({ description: 'When the successor expires. Default: when the key does' }),
      })
      .optional(),
    success: { status: 201, answer: issuedApiKey, description: 'The successor, this once, and its record' },
    errors: ['not_found', 'state_conflict', 'already_exists'],
    example: {
      params: { api_key_id: issuedApiKeyExample.api_key_id },
      body: { overlap_seconds: 3600 },
      response: issuedApiKeyExample,
    },
    run: ({ params, body }, context) => {
      const {
        overlap_seconds: overlapSeconds = USUAL_OVERLAP_SECONDS,
        public_key: publicKey,
        expires_at: expiresAt,
      } = body ?? {};
      return apiKeys.rotate(params.api_key_id, { overlapSeconds, ...omitUndefined({ publicKey, expiresAt }) }, context);
    },
  });
