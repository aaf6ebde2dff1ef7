import { type Declared, familyPlugin } from '../../hooks/family.ts';
import type { ClientCredentials } from '../../services/tokens/client-credentials.ts';
import type { TokenKeys } from '../../services/tokens/token-keys.ts';
import { getKeySet } from './get-key-set.ts';
import { getOAuthMetadata } from './get-oauth-metadata.ts';
import { issueOAuthToken } from './issue-oauth-token.ts';
import { revokeOAuthToken } from './revoke-oauth-token.ts';

interface Services {
  clientCredentials: ClientCredentials;
  tokens: { keys: Pick<TokenKeys, 'published'>; issuer: string };
}

/** OAuth 2.0's endpoints. After the families, to whose scopes tokens are narrowed. */
export const oauth = familyPlugin<Services>({
  name: 'oauth',
  tags: { 'OAuth 2.0': 'Access tokens by client credentials (RFC 6749).' },
  operations: ({ clientCredentials, tokens }, declared) => [
    issueOAuthToken(clientCredentials),
    revokeOAuthToken(clientCredentials),
    getOAuthMetadata({ issuer: tokens.issuer, scopes: scopesOf(declared) }),
    getKeySet(tokens.keys),
  ],
});

function scopesOf({ operations }: Declared): string[] {
  const asked = operations.flatMap(({ access }) => (access === 'public' ? [] : [access.scope as string]));
  return [...new Set(asked)].sort();
}
