import type { AnyOperation } from '../../../hooks/operation.ts';
import type { OAuthClientService } from '../../../services/credentials/oauth-clients.ts';
import { createOAuthClient } from './create-oauth-client.ts';
import { getOAuthClient } from './get-oauth-client.ts';
import { listOAuthClient } from './list-oauth-client.ts';
import { revokeOAuthClient } from './revoke-oauth-client.ts';
import { rotateOAuthClient } from './rotate-oauth-client.ts';

export const oauthClientOperations = ({ oauthClients }: { oauthClients: OAuthClientService }): AnyOperation[] => [
  createOAuthClient(oauthClients),
  listOAuthClient(oauthClients),
  getOAuthClient(oauthClients),
  revokeOAuthClient(oauthClients),
  rotateOAuthClient(oauthClients),
];
