import { operation } from '../../../hooks/operation.ts';
import type { OAuthClientManagement } from '../../../services/credentials/manage-oauth-clients.ts';
import { credentialBody, credentialRequest } from '../../credential-fields.ts';
import { issuedOAuthClient, issuedOAuthClientExample, oauthClient } from './oauth-client-answer.ts';

export const createOAuthClient = (oauthClients: OAuthClientManagement) =>
  operation({
    id: 'oauth-client.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/oauth-clients',
    summary: 'Make an OAuth client',
    description:
      'For programs that get access tokens at /oauth/token (grant client_credentials). The secret is in this answer and nowhere else. ' +
      'Without public_key the client can only read: what changes something is signed with a key enrolled for it. expires_at, ' +
      'allowed_ips and limits that are left out are those of the caller. Only a caller with may_grant can give more rights than its own; ' +
      'nobody can give a tier above that of the account.',
    tag: 'OAuth clients',
    effect: 'write',
    access: { scope: 'oauth-clients:write', role: 'admin' },
    changesRules: oauthClient,
    secretAnswer: true,
    body: credentialBody,
    success: { status: 201, answer: issuedOAuthClient, description: 'The client and, this once, its secret' },
    errors: ['policy_refused', 'already_exists', 'not_found'],
    example: {
      body: { name: 'reporting', scopes: ['wallets:read', 'transactions:read'] },
      response: { ...issuedOAuthClientExample, key_id: null },
    },
    run: ({ body }, context) => oauthClients.create(credentialRequest(body), context),
  });
