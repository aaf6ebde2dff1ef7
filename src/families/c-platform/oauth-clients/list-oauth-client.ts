import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { OAuthClientManagement } from '../../../services/credentials/manage-oauth-clients.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { oauthClient, oauthClientExample } from './oauth-client-answer.ts';

export const listOAuthClient = (oauthClients: OAuthClientManagement) =>
  operation({
    id: 'oauth-client.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/oauth-clients',
    summary: "The account's OAuth clients",
    description: 'Those that are revoked or over, too.',
    tag: 'OAuth clients',
    effect: 'read',
    access: { scope: 'oauth-clients:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      answer: paginated(oauthClient),
      description: 'A page of clients, newest first',
    },
    example: {
      query: { limit: '20' },
      response: pageExample(oauthClientExample),
    },
    run: ({ query }, context) => oauthClients.page(pageOf(query), context),
  });
