import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { Sso } from '../families/c-platform/auth/sso.ts';
import { createSsoProvider } from '../families/c-platform/auth/sso-provider.ts';
import type { UserServices } from '../services/users/index.ts';
import type { AppContext } from './app-context.ts';

/** null where no provider is configured. Throws where the secret's file cannot be read. */
export function openSso({ config, clock, log, disposables }: AppContext, userServices: UserServices): Sso | null {
  if (config.sso === null) return null;
  const { issuer, clientId, scopes } = config.sso;
  const provider = createSsoProvider(
    {
      issuer,
      clientId,
      clientSecret: secretOf(config.sso),
      scopes,
      callbackUrl: `${config.publicOrigins[0]}/api/v1/auth/sso/callback`,
    },
    { log, clock },
  );
  disposables.defer(() => provider.close());
  return { login: userServices.sso, provider, client: { issuer, clientId }, clock };
}

function secretOf({ clientSecret }: NonNullable<Config['sso']>): string {
  if ('value' in clientSecret) return clientSecret.value;
  try {
    return readFileSync(clientSecret.file, 'utf8').trim();
  } catch {
    throw new Error(`SSO_CLIENT_SECRET_FILE names ${clientSecret.file}, which cannot be read`);
  }
}
