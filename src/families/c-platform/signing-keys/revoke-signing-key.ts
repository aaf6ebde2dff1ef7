import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { SigningKeyManagement } from '../../../services/credentials/manage-signing-keys.ts';
import type { SigningKeyRecord } from '../../../services/credentials/signing-keys.ts';
import { unnamedAnswer } from '../../answer.ts';
import { signingKey, signingKeyExample, signingKeyParams } from './signing-key-answer.ts';

const revoked = unnamedAnswer(
  {
    ...signingKey.shape,
    keys_left: z.int().meta({ description: 'How many keys still sign for the credential' }),
  },
  ({ record }: { record: SigningKeyRecord }) => signingKey.present(record),
);

export const revokeSigningKey = (signingKeys: SigningKeyManagement) =>
  operation({
    id: 'signing-key.revoke',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/signing-keys/{key_id}',
    summary: 'Revoke a signing key',
    description:
      "One's own, or as an administrator with its role and scopes any of the account's. When this is answered no process of the service takes it any more. The last " +
      'key of a credential may go: keys_left is then 0, and the credential only reads until an administrator enrols another for it.',
    tag: 'Signing keys',
    effect: 'write',
    access: { scope: 'signing-keys:write', role: 'operator' },
    changesRules: false,
    params: signingKeyParams,
    success: {
      status: 200,
      answer: revoked,
      description: 'Revoked, now or before',
    },
    errors: ['not_found'],
    example: {
      params: { key_id: signingKeyExample.key_id },
      response: { ...signingKeyExample, revoked_at: '2026-11-21T12:00:00.000Z', keys_left: 1 },
    },
    run: ({ params }, context) => signingKeys.revoke(params.key_id, context),
  });
