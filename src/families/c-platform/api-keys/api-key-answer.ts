/** What an API key looks like on the wire; the key itself only where it is made. */
import { z } from 'zod';
import { scopeWarnings } from '../../../core/scope-roles.ts';
import type { ApiKeyView, IssuedApiKeyView } from '../../../services/credentials/manage-api-keys.ts';
import { answer, time } from '../../answer.ts';
import { countsAsAnswer, credentialAnswer, privateKeyAnswer, warningsAnswer } from '../../credential-fields.ts';
import { idField } from '../../fields.ts';

export const apiKeyParams = z.strictObject({ api_key_id: idField('key') });

const apiKeyShape = {
  api_key_id: z.string(),
  account_id: z.string(),
  name: z.string(),
  prefix: z.string().meta({ description: 'How the key begins, to know it by' }),
  ...credentialAnswer,
  active: z.boolean().meta({ description: 'Neither revoked, nor expired, nor at the end of its rotation' }),
  rotated_to: z.string().nullable().meta({ description: 'Its successor' }),
  overlap_ends_at: time.nullable().meta({ description: 'Until when it works beside its successor' }),
  revoked_at: time.nullable(),
  created_by: z.string().nullable().meta({ description: 'The credential that made it; null for the command line' }),
  counts_as: countsAsAnswer,
  created_at: time,
};

export const apiKey = answer('ApiKey', apiKeyShape, ({ keyId, prefix }: ApiKeyView) => ({
  api_key_id: keyId,
  prefix: `ak_${prefix}`,
}));

/** api_key, key_id and private_key make a credentials file: `ashlar request` and the signing clients read them. */
export const issuedApiKey = answer(
  'IssuedApiKey',
  {
    ...apiKeyShape,
    api_key: z.string().meta({ description: 'Answered this once: only its SHA-256 is kept' }),
    key_id: z.string().meta({ description: 'RFC 7638 thumbprint of the public key: the keyid of the signatures' }),
    private_key: privateKeyAnswer.optional(),
    warnings: warningsAnswer,
  },
  ({ record, signingKeyId, privateJwk }: IssuedApiKeyView) => ({
    ...apiKey.present(record),
    key_id: signingKeyId,
    private_key: privateJwk ?? undefined,
    warnings: scopeWarnings(record),
  }),
);

export const apiKeyExample = {
  api_key_id: 'key_5nQe0wTzXk8uGm2LrVb7Yd',
  account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'payments backend',
  prefix: 'ak_Zk81mQxT',
  role: 'operator',
  scopes: ['wallets:read', 'transactions:write'],
  tier: 'standard',
  limits: null,
  allowed_ips: ['203.0.113.7', '10.0.0.0/8'],
  require_signature: true,
  may_grant: false,
  active: true,
  rotated_to: null,
  overlap_ends_at: null,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  created_by: 'key_0aBcDeFgHiJkLmNoPqRsTu',
  counts_as: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  created_at: '2026-11-01T12:00:00.000Z',
};

/** Not keys of anybody: the pair is RFC 8037's example. */
export const issuedApiKeyExample = {
  ...apiKeyExample,
  api_key: `ak_Zk81mQxT_${'0'.repeat(43)}`,
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  private_key: {
    kty: 'OKP',
    crv: 'Ed25519',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  },
  warnings: [],
};
