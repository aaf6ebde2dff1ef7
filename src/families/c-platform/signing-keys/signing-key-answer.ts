/** What a key that signs requests looks like on the wire. */
import { z } from 'zod';
import { SIGNATURE_ALGORITHMS, type SigningKeyRecord } from '../../../services/credentials/signing-keys.ts';
import { answer, time } from '../../answer.ts';

export const CREDENTIAL_KINDS = ['api_key', 'oauth_client', 'person'] as const;

export const signingKeyParams = z.strictObject({
  key_id: z.string().regex(/^[\w-]{43}$/, 'must be an RFC 7638 thumbprint: 43 characters of base64url'),
});

export const signingKey = answer(
  'SigningKey',
  {
    key_id: z.string().meta({ description: 'RFC 7638 thumbprint: the keyid of the signatures' }),
    account_id: z.string(),
    credential: z.object({ kind: z.enum(CREDENTIAL_KINDS), id: z.string() }).meta({ description: 'What it signs for' }),
    name: z.string(),
    algorithm: z.enum(SIGNATURE_ALGORITHMS).meta({ description: 'RFC 9421 §3.3' }),
    public_key: z
      .object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional() })
      .meta({ description: 'JWK' }),
    revoked_at: time.nullable(),
    last_used_at: time.nullable().meta({ description: 'To the minute; null where it was never used' }),
    created_at: time,
  },
  ({ credentialKind: kind, credentialId: id, publicJwk }: SigningKeyRecord) => ({
    credential: { kind, id },
    public_key: publicJwk,
  }),
);

export const signingKeyExample = {
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  credential: { kind: 'api_key', id: 'key_5nQe0wTzXk8uGm2LrVb7Yd' },
  name: 'hardware token',
  algorithm: 'ed25519',
  public_key: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  revoked_at: null,
  last_used_at: null,
  created_at: '2026-11-01T12:00:00.000Z',
};
