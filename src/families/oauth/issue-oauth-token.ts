import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { FORM } from '../../hooks/input/form-bodies.ts';
import { operation, PUBLIC_BODY_LIMIT } from '../../hooks/operation.ts';
import type { ClientCredentials } from '../../services/tokens/client-credentials.ts';
import { clientIdentity } from './client-identity.ts';

/** Loose: unknown parameters are ignored (RFC 6749 §3.2). */
const body = z.looseObject({
  grant_type: z.string().meta({ description: 'client_credentials' }),
  scope: z.string().optional().meta({ description: "Scopes, separated by blanks. Default: all of the client's" }),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});

export const issueOAuthToken = (clientCredentials: Pick<ClientCredentials, 'issue'>) =>
  operation({
    id: 'oauth-token.issue',
    family: 'oauth',
    method: 'POST',
    path: '/oauth/token',
    summary: 'Get an access token',
    description:
      'OAuth 2.0 client credentials (RFC 6749 §4.4). The client authenticates with HTTP Basic, or with client_id and client_secret in ' +
      'the form. The token is a JWT of type at+jwt (RFC 9068).',
    tag: 'OAuth 2.0',
    effect: 'write',
    access: 'public',
    secretBody: true,
    bodyContentType: FORM,
    bodyLimit: PUBLIC_BODY_LIMIT,
    body,
    success: {
      status: 200,
      description: 'The token (RFC 6749 §5.1)',
      headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
      schema: z.object({
        access_token: z.string(),
        token_type: z.literal('Bearer'),
        expires_in: z.int().meta({ description: 'Seconds' }),
        scope: z.string(),
      }),
    },
    errors: ['unauthorized', 'forbidden', 'unsupported_grant_type', 'invalid_scope'],
    example: {
      body: {
        grant_type: 'client_credentials',
        client_id: 'cli_8sKd2LmQ9vXcT4yHn6PzRa',
        client_secret: `cs_${'0'.repeat(43)}`,
        scope: 'wallets:read',
      },
      response: {
        access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.…',
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'wallets:read',
      },
    },
    run: ({ body: form, authorization }, context) => {
      const identity = clientIdentity(authorization, form);
      if (form.grant_type !== 'client_credentials') {
        throw new DomainError('unsupported_grant_type', 'the grant that is supported is client_credentials', {
          field: 'grant_type',
        });
      }
      return clientCredentials.issue(identity, form.scope ?? null, context);
    },
    present: ({ accessToken, expiresInSeconds, scopes }) => ({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      scope: scopes.join(' '),
    }),
  });
