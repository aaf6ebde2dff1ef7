/** Users of an account, their logins, sessions and second factors. */

import type { Page, PageRequest } from '../../store/records.ts';
import type { UserFilter, UserRecord } from '../../store/repositories/users.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { SubjectLoader } from '../tokens/access-tokens.ts';
import { type CreatedUser, createUser, type NewUser } from './create-user.ts';
import { deactivateUser, deleteUser } from './delete-user.ts';
import { createEmailConfirmation, type EmailConfirmationService } from './email-confirmation.ts';
import { createLogin, type LoginService } from './login.ts';
import { createLoginThrottle, FAILURES_LIVE_MS } from './login-throttle.ts';
import { createPasswordReset, type ResetLink } from './password-resets.ts';
import { createPasswords } from './passwords.ts';
import { createRefresh, type RefreshService } from './refresh.ts';
import { createSecondFactors, type SecondFactorService } from './second-factors.ts';
import { createSessions, type SessionService } from './sessions.ts';
import { createSsoLogin, type SsoLoginService } from './sso-login.ts';
import { type UserUpdate, updateUser } from './update-user.ts';
import type { UserContext, UserDependencies } from './user-dependencies.ts';
import { noUser } from './user-of.ts';
import { createUserSubjects } from './user-subjects.ts';

export type { SessionRecord } from '../../store/repositories/sessions.ts';
export type { UserRecord } from '../../store/repositories/users.ts';
export type { CreatedUser } from './create-user.ts';
export type { SentCode } from './email-confirmation.ts';
export type { Tokens } from './open-session.ts';
export type { ResetLink } from './password-resets.ts';
export type { SsoIdentity } from './sso-login.ts';

export interface UserService {
  create(user: NewUser, context: RequestContext): Promise<CreatedUser>;
  /** Throws `not_found`. */
  get(userId: string, context: RequestContext): Promise<UserRecord>;
  /** Newest first. */
  list(filter: UserFilter, page: PageRequest, context: RequestContext): Promise<Page<UserRecord>>;
  update(userId: string, update: UserUpdate, context: RequestContext): Promise<UserRecord>;
  delete(userId: string, context: RequestContext): Promise<void>;
  /** As `update` with `disabled`, by whoever may delete. */
  deactivate(userId: string, context: RequestContext): Promise<void>;
  resetPassword(userId: string, context: RequestContext): Promise<ResetLink>;
}

export interface UserServices {
  readonly users: UserService;
  readonly login: LoginService;
  readonly refresh: RefreshService;
  readonly sessions: SessionService;
  readonly secondFactors: SecondFactorService;
  readonly emailConfirmation: EmailConfirmationService;
  readonly sso: SsoLoginService;
  /** The subjects of users' access tokens. */
  readonly subjects: SubjectLoader;
  /** Deletes what has expired; answers how many rows. */
  sweep(): Promise<number>;
}

/** Ended sessions are shown to nobody, but what was stolen from one may still come back. */
const SESSIONS_KEPT_MS = 30 * 24 * 3_600_000;

/** `cipher`, `ssoKey` and `throttleKey` are under keys of the service (services/secrets/service-key.ts). */
export function createUserServices(
  context: UserContext & Pick<UserDependencies, 'cipher' | 'ssoKey'> & { throttleKey: Uint8Array },
): UserServices {
  const { store, clock, attempts, throttleKey, passwordCost, randomBytes } = context;
  const deps: UserDependencies = {
    ...context,
    passwords: createPasswords({ cost: passwordCost, randomBytes }),
    throttle: createLoginThrottle({ store, attempts, key: throttleKey, clock }),
  };
  return {
    users: {
      create: createUser(deps),
      async get(userId, { accountId }) {
        const user = await store.read.users.find(accountId, userId);
        if (user === null || user.deletedAt !== null) throw noUser();
        return user;
      },
      list: (filter, page, { accountId }) => store.read.users.list(accountId, filter, page),
      update: updateUser(deps),
      delete: deleteUser(deps),
      deactivate: deactivateUser(deps),
      resetPassword: createPasswordReset(deps),
    },
    login: createLogin(deps),
    refresh: createRefresh(deps),
    sessions: createSessions(deps),
    secondFactors: createSecondFactors(deps),
    emailConfirmation: createEmailConfirmation(deps),
    sso: createSsoLogin(deps),
    subjects: createUserSubjects({ store, clock }),
    sweep: () =>
      store.write(async (tx) => {
        const now = clock();
        const counts = [
          await tx.sessions.deleteExpiredBefore(now - SESSIONS_KEPT_MS),
          await tx.passwordResets.deleteExpired(now),
          await tx.emailConfirmations.deleteExpired(now),
          await tx.loginFailures.deleteOlderThan(now - FAILURES_LIVE_MS),
          await tx.sso.deleteExpiredStates(now),
        ];
        return counts.reduce((sum, count) => sum + count, 0);
      }),
  };
}
