import { operation } from '../../../hooks/operation.ts';
import type { OAuthClientManagement } from '../../../services/credentials/manage-oauth-clients.ts';
import { oauthClient, oauthClientExample, oauthClientParams } from './oauth-client-answer.ts';

export const getOAuthClient = (oauthClients: OAuthClientManagement) =>
  operation({
    id: 'oauth-client.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/oauth-clients/{client_id}',
    summary: 'An OAuth client',
    tag: 'OAuth clients',
    effect: 'read',
    access: { scope: 'oauth-clients:read', role: 'viewer' },
    params: oauthClientParams,
    success: { status: 200, answer: oauthClient, description: 'The client; never its secret' },
    errors: ['not_found'],
    example: { params: { client_id: oauthClientExample.client_id }, response: oauthClientExample },
    run: ({ params }, context) => oauthClients.get(params.client_id, context),
  });
