/** One-time links with which a person sets a password: an administrator makes them, for whoever was invited or has forgotten. */
import { DomainError } from '../../core/errors.ts';
import { addsVoice } from '../../core/policies/rules-change.ts';
import type { UserPatch, UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { assertMayChange } from '../credentials/grants.ts';
import { hadByUser, inCommon, reachOf, rightsOfUser } from '../credentials/rights.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { newOpaqueToken, tokenDigest } from './opaque-tokens.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userOf } from './user-of.ts';

const RESET_LIFE_MS = 24 * 3_600_000;
const RESET_PAGE = '/docs/password-reset';

export interface ResetLink {
  /** Answered once; only its digest is stored. */
  readonly token: string;
  /** The token is behind the `#`: no server sees it, no log keeps it. */
  readonly link: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A fresh link; `store` it in the job of its reason. Earlier ones die with it. */
export function newResetLink(
  deps: Pick<UserDependencies, 'clock' | 'randomBytes' | 'publicOrigin'>,
  user: Pick<UserRecord, 'accountId' | 'userId'>,
): { reset: ResetLink; store(tx: Pick<Repositories, 'passwordResets'>): Promise<void> } {
  const createdAt = deps.clock();
  const expiresAt = createdAt + RESET_LIFE_MS;
  const token = newOpaqueToken('reset', deps.randomBytes);
  const digest = tokenDigest('reset', token) as string;
  const { accountId, userId } = user;
  return {
    reset: { token, link: `${deps.publicOrigin}${RESET_PAGE}#token=${token}`, expiresAt },
    store: (tx) => tx.passwordResets.replace({ digest, accountId, userId, createdAt, expiresAt, usedAt: null }),
  };
}

/** A link for a person of the account. Throws `not_found`, `state_conflict` for a disabled one, `forbidden` for a higher one. */
export const createPasswordReset =
  (deps: UserDependencies) =>
  (userId: string, context: RequestContext): Promise<ResetLink> =>
    deps.store.write(async (tx) => {
      const user = await userOf(tx, context.accountId, userId);
      assertMayChange(context.credential, hadByUser(user));
      if (user.disabledAt !== null) {
        throw new DomainError('state_conflict', 'this person is disabled: enable them before they get a new password', {
          field: 'user_id',
        });
      }
      const { reset, store } = newResetLink(deps, user);
      await store(tx);
      await tx.users.update(context.accountId, userId, setBy(user, context));
      const gains = { password: 'a one-time link to set one' };
      const change = addsVoice(rightsOfUser(user), { own: false }) ? { before: user, after: user, gains } : null;
      await recordRequest(tx, context, { result: reset, target: userId, change });
      return reset;
    });

/** Who sets what a person logs in with may be them from then on: the record keeps what all of those had in common. */
export const setBy = ({ setByRights }: UserRecord, { credential }: RequestContext): UserPatch =>
  setByRights === null ? {} : { setByRights: inCommon(setByRights, reachOf(credential)) };
