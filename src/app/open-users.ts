/** Users, and single sign-on where a provider is configured. */

import type { SendMail } from '../engines/mailing/mailing.ts';
import type { SigningKeyService } from '../services/credentials/signing-keys.ts';
import type { Attempts } from '../services/limits/limits.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import { createTextCipher } from '../services/secrets/text-cipher.ts';
import type { AccessTokens } from '../services/tokens/access-tokens.ts';
import { createUserServices, type UserServices } from '../services/users/index.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';

export async function openUserServices(
  context: AppContext,
  store: Store,
  provider: KeyProvider,
  parts: { signingKeys: SigningKeyService; accessTokens: AccessTokens; attempts: Attempts; sendMail: SendMail | null },
): Promise<UserServices> {
  const { config, clock, randomBytes, log } = context;
  const keys = { store, provider, randomBytes };
  const userServices = createUserServices({
    ...parts,
    store,
    clock,
    randomBytes,
    log,
    passwordCost: config.argon2,
    publicOrigin: config.publicOrigins[0] as string,
    cipher: createTextCipher(await openServiceKey(keys, 'logins'), randomBytes),
    ssoKey: await openServiceKey(keys, 'single sign-on'),
    throttleKey: await openServiceKey(keys, 'login names'),
  });
  parts.accessTokens.registerSubjects('person', userServices.subjects);
  context.background.sweep(() => userServices.sweep());
  return userServices;
}
