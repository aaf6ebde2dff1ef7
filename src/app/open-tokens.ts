/** Access tokens, the keys that sign them, and the OAuth clients that get them. */

import { createOAuthClientManagement } from '../services/credentials/manage-oauth-clients.ts';
import { createOAuthClientSubjects } from '../services/credentials/oauth-client-subjects.ts';
import type { SigningKeyService } from '../services/credentials/signing-keys.ts';
import type { Attempts } from '../services/limits/limits.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { createAccessTokens } from '../services/tokens/access-tokens.ts';
import { createClientCredentials } from '../services/tokens/client-credentials.ts';
import { openTokenKeys } from '../services/tokens/open-token-keys.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

export async function openTokens(
  context: AppContext,
  store: Store,
  provider: KeyProvider,
  { signingKeys, attempts }: { signingKeys: SigningKeyService; attempts: Attempts },
) {
  const { config, clock, randomBytes } = context;
  const { signaturePolicy } = config;
  const issuer = config.publicOrigins[0] as string;
  const tokenKeys = await openTokenKeys({ store, provider, randomBytes, clock });
  const accessTokens = createAccessTokens({ store, keys: tokenKeys, issuer, clock, randomBytes });
  const subjects = createOAuthClientSubjects({ store, signaturePolicy, clock });
  accessTokens.registerSubjects('oauth_client', subjects);
  context.background.sweep(async () => (await tokenKeys.maintain()) + (await accessTokens.sweep()));
  return {
    tokens: { keys: tokenKeys, accessTokens, issuer },
    oauthClients: createOAuthClientManagement({ store, signingKeys, signaturePolicy, randomBytes, clock }),
    clientCredentials: createClientCredentials({ store, subjects, accessTokens, attempts, clock }),
  };
}
