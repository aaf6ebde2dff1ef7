import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { OAuthClientManagement } from '../../../services/credentials/manage-oauth-clients.ts';
import { oauthClientExample, oauthClientParams } from './oauth-client-answer.ts';

export const revokeOAuthClient = (oauthClients: OAuthClientManagement) =>
  operation({
    id: 'oauth-client.revoke',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/oauth-clients/{client_id}',
    summary: 'Revoke an OAuth client',
    description:
      'By an administrator who has its role and scopes; with its access tokens and the keys that sign for it. When this is answered no process of the service takes them any more.',
    tag: 'OAuth clients',
    effect: 'write',
    access: { scope: 'oauth-clients:write', role: 'admin' },
    changesRules: false,
    params: oauthClientParams,
    success: { status: 204, schema: z.undefined(), description: 'Revoked, now or before' },
    errors: ['not_found'],
    example: { params: { client_id: oauthClientExample.client_id } },
    run: async ({ params }, context): Promise<null> => {
      await oauthClients.revoke(params.client_id, context);
      return null;
    },
    present: () => undefined,
  });
