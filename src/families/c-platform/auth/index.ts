import type { AnyOperation } from '../../../hooks/operation.ts';
import type { People } from '../../../services/people/index.ts';
import { confirmAuthTotp } from './confirm-auth-totp.ts';
import { endAuthSession } from './end-auth-session.ts';
import { getAuthPerson } from './get-auth-person.ts';
import { listAuthSession } from './list-auth-session.ts';
import { loginAuth } from './login-auth.ts';
import { logoutAuth } from './logout-auth.ts';
import { refreshAuth } from './refresh-auth.ts';
import { removeAuthTotp } from './remove-auth-totp.ts';
import { startAuthTotp } from './start-auth-totp.ts';

/** Logins of people; single sign-on is sso-routes.ts, because it redirects. */
export const authOperations = ({ people }: { people: People }): AnyOperation[] => [
  loginAuth(people.login),
  refreshAuth(people.refresh),
  logoutAuth(people.refresh),
  getAuthPerson(people.users),
  listAuthSession(people.sessions),
  endAuthSession(people.sessions),
  startAuthTotp(people.secondFactors),
  confirmAuthTotp(people.secondFactors),
  removeAuthTotp(people.secondFactors),
];
