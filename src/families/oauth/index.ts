import type { AnyOperation } from '../../hooks/operation.ts';
import type { ClientCredentials } from '../../services/tokens/client-credentials.ts';
import type { TokenKeys } from '../../services/tokens/token-keys.ts';
import { getKeySet } from './get-key-set.ts';
import { getOAuthMetadata } from './get-oauth-metadata.ts';
import { issueOAuthToken } from './issue-oauth-token.ts';
import { revokeOAuthToken } from './revoke-oauth-token.ts';

/** `others` are the operations whose scopes tokens are narrowed to. */
export function oauthOperations(
  {
    clientCredentials,
    tokens,
  }: {
    clientCredentials: ClientCredentials;
    tokens: { keys: Pick<TokenKeys, 'published'>; issuer: string };
  },
  others: readonly AnyOperation[],
): AnyOperation[] {
  const asked = others.flatMap(({ access }) => (access === 'public' ? [] : [access.scope as string]));
  const scopes = [...new Set(asked)].sort();
  return [
    issueOAuthToken(clientCredentials),
    revokeOAuthToken(clientCredentials),
    getOAuthMetadata({ issuer: tokens.issuer, scopes }),
    getKeySet(tokens.keys),
  ];
}
