import { z } from 'zod';
import { FORM } from '../../hooks/input/form-bodies.ts';
import { operation, PUBLIC_BODY_LIMIT } from '../../hooks/operation.ts';
import type { ClientCredentials } from '../../services/tokens/client-credentials.ts';
import { clientIdentity } from './client-identity.ts';

const body = z.looseObject({
  token: z.string().meta({ description: 'An access token that was issued to the client' }),
  token_type_hint: z.string().optional().meta({ description: 'access_token; others are ignored' }),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});

export const revokeOAuthToken = (clientCredentials: Pick<ClientCredentials, 'revoke'>) =>
  operation({
    id: 'oauth-token.revoke',
    family: 'oauth',
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'Revoke an access token',
    description:
      'RFC 7009. When this is answered no process of the service takes the token any more. What is no token that stands is answered ' +
      'the same; the token of another client is refused and stands.',
    tag: 'OAuth 2.0',
    effect: 'write',
    access: 'public',
    secretBody: true,
    bodyContentType: FORM,
    bodyLimit: PUBLIC_BODY_LIMIT,
    body,
    success: {
      status: 200,
      description: 'Revoked, or nothing to revoke',
      headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
      schema: z.object({}),
    },
    errors: ['unauthorized', 'forbidden'],
    example: {
      body: {
        token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.…',
        client_id: 'cli_8sKd2LmQ9vXcT4yHn6PzRa',
        client_secret: `cs_${'0'.repeat(43)}`,
      },
      response: {},
    },
    run: async ({ body: form, authorization }, context): Promise<null> => {
      await clientCredentials.revoke(clientIdentity(authorization, form), form.token, context);
      return null;
    },
    present: () => ({}),
  });
