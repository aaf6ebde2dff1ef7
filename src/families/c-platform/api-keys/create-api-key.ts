import { operation } from '../../../hooks/operation.ts';
import type { ApiKeyManagement } from '../../../services/credentials/manage-api-keys.ts';
import { credentialBody, credentialRequest } from '../../credential-fields.ts';
import { apiKey, issuedApiKey, issuedApiKeyExample } from './api-key-answer.ts';

export const createApiKey = (apiKeys: ApiKeyManagement) =>
  operation({
    id: 'api-key.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/api-keys',
    summary: 'Make an API key',
    description:
      'The key, and the private key where none was given, are in this answer and nowhere else; together they are a credentials file. ' +
      'expires_at, allowed_ips and limits that are left out are those of the caller. Only a caller with may_grant can give more rights ' +
      'than its own; nobody can give a tier above that of the account.',
    tag: 'API keys',
    effect: 'write',
    access: { scope: 'api-keys:write', role: 'admin' },
    changesRules: apiKey,
    secretAnswer: true,
    body: credentialBody,
    success: { status: 201, answer: issuedApiKey, description: 'The key, this once, and its record' },
    errors: ['policy_refused', 'already_exists', 'not_found'],
    example: {
      body: {
        name: 'payments backend',
        scopes: ['wallets:read', 'transactions:write'],
        role: 'operator',
        allowed_ips: ['203.0.113.7', '10.0.0.0/8'],
      },
      response: issuedApiKeyExample,
    },
    run: ({ body }, context) => apiKeys.create(credentialRequest(body), context),
  });
