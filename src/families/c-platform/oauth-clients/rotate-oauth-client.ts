import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import { USUAL_OVERLAP_SECONDS } from '../../../services/credentials/issue-api-key.ts';
import type { OAuthClientManagement } from '../../../services/credentials/manage-oauth-clients.ts';
import { overlapField } from '../../credential-fields.ts';
import {
  oauthClient,
  oauthClientParams,
  rotatedOAuthClient,
  rotatedOAuthClientExample,
} from './oauth-client-answer.ts';

export const rotateOAuthClient = (oauthClients: OAuthClientManagement) =>
  operation({
    id: 'oauth-client.rotate',
    family: 'c',
    method: 'POST',
    path: '/api/v1/oauth-clients/{client_id}/rotate',
    summary: "Replace an OAuth client's secret",
    description:
      'The secret before serves beside the new one until the overlap ends; one older than that ends at once. Tokens and signing keys stay.',
    tag: 'OAuth clients',
    effect: 'write',
    access: { scope: 'oauth-clients:write', role: 'admin' },
    changesRules: oauthClient,
    secretAnswer: true,
    params: oauthClientParams,
    body: z
      .strictObject({
        overlap_seconds: overlapField('How long the secret before serves beside the new one'),
      })
      .optional(),
    success: {
      status: 201,
      answer: rotatedOAuthClient,
      description: 'The client and, this once, its new secret',
    },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { client_id: rotatedOAuthClientExample.client_id },
      body: { overlap_seconds: 3600 },
      response: rotatedOAuthClientExample,
    },
    run: ({ params, body }, context) =>
      oauthClients.rotate(
        params.client_id,
        { overlapSeconds: body?.overlap_seconds ?? USUAL_OVERLAP_SECONDS },
        context,
      ),
  });
