/** What an OAuth client looks like on the wire; its secret only where it is made. */
import { z } from 'zod';
import { credentialWarnings } from '../../../core/scope-roles.ts';
import type { IssuedOAuthClient, OAuthClientView } from '../../../services/credentials/oauth-clients.ts';
import { idField, namedObject, timeAnswer } from '../../fields.ts';
import { credentialAnswer, timeOrNull, warningsAnswer } from '../credential-fields.ts';

export const oauthClientParams = z.strictObject({ client_id: idField('cli') });

const oauthClientShape = {
  client_id: z.string(),
  account_id: z.string(),
  name: z.string(),
  ...credentialAnswer,
  active: z.boolean().meta({ description: 'Neither revoked nor expired' }),
  previous_secret_until: timeAnswer
    .nullable()
    .meta({ description: 'Until when the secret before the last rotation serves too' }),
  revoked_at: timeAnswer.nullable(),
  created_at: timeAnswer,
};

export const oauthClientAnswer = namedObject('OAuthClient', oauthClientShape);

const clientSecretAnswer = z.string().meta({ description: 'Answered this once: only its SHA-256 is kept' });

export const issuedOAuthClientAnswer = namedObject('IssuedOAuthClient', {
  ...oauthClientShape,
  client_secret: clientSecretAnswer,
  key_id: z.string().nullable().meta({
    description: 'RFC 7638 thumbprint of the public key: the keyid of the signatures. null: the client can only read',
  }),
  warnings: warningsAnswer,
});

export const rotatedOAuthClientAnswer = namedObject('RotatedOAuthClient', {
  ...oauthClientShape,
  client_secret: clientSecretAnswer,
});

export const presentOAuthClient = (client: OAuthClientView) => ({
  client_id: client.clientId,
  account_id: client.accountId,
  name: client.name,
  role: client.role,
  scopes: [...client.scopes],
  tier: client.tier,
  limits: client.limits,
  allowed_ips: client.allowedIps === null ? null : [...client.allowedIps],
  require_signature: client.requireSignature,
  may_grant: client.mayGrant,
  active: client.active,
  previous_secret_until: timeOrNull(client.previousSecretUntil),
  expires_at: timeOrNull(client.expiresAt),
  revoked_at: timeOrNull(client.revokedAt),
  last_used_at: timeOrNull(client.lastUsedAt),
  created_at: new Date(client.createdAt).toISOString(),
});

export const presentRotatedOAuthClient = ({ client, clientSecret }: Omit<IssuedOAuthClient, 'signingKeyId'>) => ({
  ...presentOAuthClient(client),
  client_secret: clientSecret,
});

export const presentIssuedOAuthClient = (issued: IssuedOAuthClient) => ({
  ...presentRotatedOAuthClient(issued),
  key_id: issued.signingKeyId,
  warnings: credentialWarnings(issued.client, issued.signingKeyId === null ? 'client' : null),
});

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
  created_at: '2026-11-01T12:00:00.000Z',
};

/** Nobody's secret. */
export const rotatedOAuthClientExample = { ...oauthClientExample, client_secret: `cs_${'0'.repeat(43)}` };
export const issuedOAuthClientExample = {
  ...rotatedOAuthClientExample,
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  warnings: [],
};
