import type { AnyOperation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { confirmAuthTotp } from './confirm-auth-totp.ts';
import { endAuthSession } from './end-auth-session.ts';
import { finishSso } from './finish-sso.ts';
import { getAuthPerson } from './get-auth-person.ts';
import { listAuthSession } from './list-auth-session.ts';
import { loginAuth } from './login-auth.ts';
import { logoutAuth } from './logout-auth.ts';
import { refreshAuth } from './refresh-auth.ts';
import { removeAuthTotp } from './remove-auth-totp.ts';
import type { Sso } from './sso.ts';
import { startAuthTotp } from './start-auth-totp.ts';
import { startSso } from './start-sso.ts';

/** `sso` is null where no provider is configured. */
export const authOperations = ({
  userServices,
  sso,
}: {
  userServices: UserServices;
  sso: Sso | null;
}): AnyOperation[] => [
  loginAuth(userServices.login),
  refreshAuth(userServices.refresh),
  logoutAuth(userServices.refresh),
  getAuthPerson(userServices.users),
  listAuthSession(userServices.sessions),
  endAuthSession(userServices.sessions),
  startAuthTotp(userServices.secondFactors),
  confirmAuthTotp(userServices.secondFactors),
  removeAuthTotp(userServices.secondFactors),
  startSso(sso),
  finishSso(sso),
];
