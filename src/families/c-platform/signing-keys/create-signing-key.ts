import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { SigningKeyManagement } from '../../../services/credentials/manage-signing-keys.ts';
import { publicKeyField } from '../../credential-fields.ts';
import { nameField } from '../../fields.ts';
import { omitUndefined } from '../../optional-values.ts';
import { CREDENTIAL_KINDS, signingKey, signingKeyExample } from './signing-key-answer.ts';

export const createSigningKey = (signingKeys: SigningKeyManagement) =>
  operation({
    id: 'signing-key.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/signing-keys',
    summary: 'Enrol a key that signs requests',
    description:
      "For the caller's own credential, or, by an administrator, for another of the account whose rights do not exceed and never exceeded " +
      "the administrator's. `proof` shows that whoever enrols the key holds it: a " +
      'compact JWS by it with the header {typ: "ashlar-pop+jwt", alg} and the payload {aud: account_id, sub: the id of the credential, ' +
      'iat: now}. Each key is enrolled once, for one credential.',
    tag: 'Signing keys',
    effect: 'write',
    access: { scope: 'signing-keys:write', role: 'operator' },
    changesRules: signingKey,
    body: z.strictObject({
      public_key: publicKeyField,
      name: nameField.optional(),
      credential: z
        .strictObject({ kind: z.enum(CREDENTIAL_KINDS), id: z.string().min(1, 'must not be empty').max(100) })
        .optional()
        .meta({ description: "The credential that the key signs for. Default: the caller's own" }),
      proof: z.string().min(1, 'must not be empty').max(2000, 'is longer than any proof'),
    }),
    success: { status: 201, answer: signingKey, description: 'Enrolled: it may sign from now on' },
    errors: ['not_found', 'already_exists'],
    example: {
      body: {
        public_key: signingKeyExample.public_key,
        name: signingKeyExample.name,
        proof:
          'eyJ0eXAiOiJhc2hsYXItcG9wK2p3dCIsImFsZyI6IkVkRFNBIn0.eyJhdWQiOiJhY2NfLi4uIiwic3ViIjoia2V5Xy4uLiIsImlhdCI6MTc5MzUzNDQwMH0.c2lnbmF0dXJl',
      },
      response: signingKeyExample,
    },
    run: ({ body: { public_key: publicKey, name, credential, proof } }, context) =>
      signingKeys.enrol({ publicKey, proof, ...omitUndefined({ name, credential }) }, context),
  });
