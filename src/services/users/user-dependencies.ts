import type { Logger } from 'pino';
import type { SendMail } from '../../engines/mailing/mailing.ts';
import type { Store } from '../../store/store.ts';
import type { SigningKeyService } from '../credentials/signing-keys.ts';
import type { Attempts } from '../limits/limits.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Argon2Cost, Passwords } from './passwords.ts';

/** What the people's services are made from. */
export interface UserContext {
  readonly store: Store;
  readonly accessTokens: Pick<AccessTokens, 'issue'>;
  readonly signingKeys: Pick<SigningKeyService, 'enrol' | 'revokeAll' | 'find'>;
  readonly attempts: Attempts;
  readonly passwordCost: Argon2Cost;
  /** Where a one-time link leads: the first of PUBLIC_ORIGINS. */
  readonly publicOrigin: string;
  /** null: e-mail is not configured. */
  readonly sendMail: SendMail | null;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Pick<Logger, 'warn'>;
}

/** What each of them is given. */
export interface UserDependencies extends UserContext {
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  /** Second factors and the successors of refresh tokens, at rest. */
  readonly cipher: TextCipher;
  /** Marks what goes to the sign-on provider and comes back. */
  readonly ssoKey: Uint8Array;
}
