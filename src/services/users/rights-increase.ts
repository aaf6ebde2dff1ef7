/** What becomes of what a person logs in and signs with when they are given more than they have. */
import type { Rights } from '../../core/access.ts';
import type { UserPatch, UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { beyondRank, beyondReach, hadByUser, reachOf, rightsOfUser, together } from '../credentials/rights.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { UserDependencies } from './user-dependencies.ts';

/**
 * In the job that changes a person's rights: what of their record changes besides. With more rights sessions and one-time links end; and
 * where somebody set what they log in or sign with who does not have as much (or nobody knows who did), that ends, too: keys, single
 * sign-on and password, and the e-mail address where the request leaves it as it is (update-user.ts). It is not told apart which of it is the person's own: whoever can log in as them enrols keys as them.
 */
export async function onRightsIncrease(
  { signingKeys, clock }: Pick<UserDependencies, 'signingKeys' | 'clock'>,
  tx: Repositories,
  user: UserRecord,
  rights: Rights,
  { credential }: RequestContext,
): Promise<UserPatch> {
  const goesBeyond = (has: Rights) => (beyondRank(has, rights) ?? beyondReach(has, rights)) !== null;
  const hadRights = together(hadByUser(user), rights);
  if (!goesBeyond(rightsOfUser(user))) return { hadRights };
  const { accountId, userId, setByRights } = user;
  const at = clock();
  await tx.sessions.endAll(accountId, userId, at, 'revoked');
  await tx.passwordResets.deleteAll(accountId, userId);
  if (setByRights !== null && !goesBeyond(setByRights)) return { hadRights };
  await signingKeys.revokeAll(tx, { accountId, kind: 'person', id: userId });
  await tx.sso.deleteIdentities(accountId, userId);
  return { hadRights, setByRights: reachOf(credential), passwordHash: null, passwordChangedAt: at };
}
