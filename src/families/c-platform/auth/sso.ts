import { DomainError } from '../../../core/errors.ts';
import type { UserServices } from '../../../services/users/index.ts';
import type { SsoClient, SsoProvider } from './sso-provider.ts';

/** What the two halves of a sign-on need. */
export interface Sso {
  readonly login: UserServices['sso'];
  readonly provider: SsoProvider;
  readonly client: Pick<SsoClient, 'issuer' | 'clientId'>;
  readonly clock: () => number;
}

/** Throws `not_found` where no provider is configured. */
export function configured(sso: Sso | null): Sso {
  if (sso !== null) return sso;
  throw new DomainError('not_found', 'no sign-on provider is configured here: log in with a password');
}
