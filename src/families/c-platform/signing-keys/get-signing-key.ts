import { operation } from '../../../hooks/operation.ts';
import type { SigningKeyManagement } from '../../../services/credentials/manage-signing-keys.ts';
import { signingKey, signingKeyExample, signingKeyParams } from './signing-key-answer.ts';

export const getSigningKey = (signingKeys: SigningKeyManagement) =>
  operation({
    id: 'signing-key.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/signing-keys/{key_id}',
    summary: 'One signing key',
    tag: 'Signing keys',
    effect: 'read',
    access: { scope: 'signing-keys:read', role: 'viewer' },
    params: signingKeyParams,
    success: { status: 200, answer: signingKey, description: 'The key and what it signs for' },
    errors: ['not_found'],
    example: { params: { key_id: signingKeyExample.key_id }, response: signingKeyExample },
    run: ({ params }, context) => signingKeys.get(params.key_id, context),
  });
