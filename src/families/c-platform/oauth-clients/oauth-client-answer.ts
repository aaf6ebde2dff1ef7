/** What an OAuth client looks like on the wire; its secret only where it is made. */
import { z } from 'zod';
import { credentialWarnings } from '../../../core/scope-roles.ts';
import type { IssuedOAuthClient } from '../../../services/credentials/manage-oauth-clients.ts';
import { answer, time } from '../../answer.ts';
import { countsAsAnswer, credentialAnswer, warningsAnswer } from '../../credential-fields.ts';
import { idField } from '../../fields.ts';

export const oauthClientParams = z.strictObject({ client_id: idField('cli') });

const oauthClientShape = {
  client_id: z.string(),
  account_id: z.string(),
  name: z.string(),
  ...credentialAnswer,
  active: z.boolean().meta({ description: 'Neither revoked nor expired' }),
  previous_secret_until: time
    .nullable()
    .meta({ description: 'Until when the secret before the last rotation serves too' }),
  revoked_at: time.nullable(),
  counts_as: countsAsAnswer,
  created_at: time,
};

export const oauthClient = answer('OAuthClient', oauthClientShape);

const clientSecretAnswer = z.string().meta({ description: 'Answered this once: only its SHA-256 is kept' });

export const issuedOAuthClient = answer(
  'IssuedOAuthClient',
  {
    ...oauthClientShape,
    client_secret: clientSecretAnswer,
    key_id: z.string().nullable().meta({
      description: 'RFC 7638 thumbprint of the public key: the keyid of the signatures. null: the client can only read',
    }),
    warnings: warningsAnswer,
  },
  ({ client, signingKeyId }: IssuedOAuthClient) => ({
    ...oauthClient.present(client),
    key_id: signingKeyId,
    warnings: credentialWarnings(client, signingKeyId === null ? 'client' : null),
  }),
);

export const rotatedOAuthClient = answer(
  'RotatedOAuthClient',
  {
    ...oauthClientShape,
    client_secret: clientSecretAnswer,
  },
  ({ client }: Omit<IssuedOAuthClient, 'signingKeyId'>) => oauthClient.present(client),
);

export const oauthClientExample = {
  client_id: 'cli_8sKd2LmQ9vXcT4yHn6PzRa',
  account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
  name: 'reporting',
  role: 'operator',
  scopes: ['wallets:read', 'transactions:read'],
  tier: 'standard',
  limits: null,
  allowed_ips: null,
  require_signature: true,
  may_grant: false,
  active: true,
  previous_secret_until: null,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  counts_as: null,
  created_at: '2026-11-01T12:00:00.000Z',
};

/** Nobody's secret. */
export const rotatedOAuthClientExample = { ...oauthClientExample, client_secret: `cs_${'0'.repeat(43)}` };
export const issuedOAuthClientExample = {
  ...rotatedOAuthClientExample,
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  warnings: [],
};
