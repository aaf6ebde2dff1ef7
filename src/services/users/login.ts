/** Logging in with a password, or with a one-time link that sets a new one. */
import { DomainError } from '../../core/errors.ts';
import { foldLoginName } from '../../core/users/login-name.ts';
import { checkNewPassword } from '../../core/users/password-rules.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { refusingAs } from '../credentials/credential-refused.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Deriver } from '../secrets/derivations.ts';
import { assertMayLogIn, signingKeyOf } from './may-log-in.ts';
import { tokenDigest } from './opaque-tokens.ts';
import { type NewSession, openSession, type Tokens } from './open-session.ts';
import { secondFactor } from './second-factor.ts';
import { authenticatedAs } from './user-credential.ts';
import type { UserDependencies } from './user-dependencies.ts';

interface PasswordLogin {
  /** Username or e-mail address. */
  readonly name: string;
  readonly password: string;
  readonly totp?: string | undefined;
}

interface ResetLogin {
  readonly resetToken: string;
  readonly newPassword: string;
  readonly totp?: string | undefined;
}

const wrong = () => new DomainError('unauthorized', 'the name or the password is wrong');
const deadLink = () =>
  new DomainError('unauthorized', 'the link was used, has expired or was replaced: ask an administrator for another', {
    field: 'reset_token',
  });

export function createLogin(deps: UserDependencies) {
  const { store, passwords, throttle, clock } = deps;

  /** Under the count of the name: what fails stays counted, what is no guess does not. */
  async function guarded(
    name: string,
    remoteAddress: string,
    enter: (clear: (tx: Pick<Repositories, 'loginFailures'>) => Promise<void>) => Promise<Tokens>,
  ): Promise<Tokens> {
    const attempt = await throttle.begin(name, remoteAddress);
    try {
      return await enter(attempt.succeeded);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unauthorized') await attempt.failed();
      else await attempt.withdraw();
      throw error;
    }
  }

  /** The person as they were when the password was checked: what has changed since is not let in. */
  async function assertUnchanged(tx: Repositories, user: UserRecord): Promise<void> {
    const now = await tx.users.findForUpdate(user.accountId, user.userId);
    if (now === null || now.disabledAt !== null || now.passwordHash !== user.passwordHash) throw wrong();
  }

  return {
    /**
     * Throws `unauthorized` in the same words and after the same work whether name or password is wrong, `totp_required`, `forbidden`
     * for a frozen account, `rate_limited`, `unavailable`.
     */
    withPassword({ name, password, totp }: PasswordLogin, context: RequestContext) {
      const { remoteAddress, signature } = context.facts;
      const folded = foldLoginName(name);
      const whose = whoseTurn(context);
      return guarded(folded, remoteAddress, async (clear) => {
        const user = await store.read.users.findByLoginName(folded);
        const { right, stale } = await passwords.verify(password, user?.passwordHash ?? null, whose);
        if (user === null) throw wrong();
        return refusingAs(authenticatedAs(user), async () => {
          if (!right || user.disabledAt !== null) throw wrong();
          await assertMayLogIn(deps, user, remoteAddress);
          const takeCode = secondFactor(deps, user, totp);
          const boundKeyId = await signingKeyOf(deps.signingKeys, user, signature);
          const session = await openSession(deps, user, { method: 'password', boundKeyId, remoteAddress });
          const passwordHash = stale ? await passwords.hash(password, whose) : undefined;
          return commit(session, context, async (tx) => {
            await assertUnchanged(tx, user);
            await takeCode(tx);
            if (passwordHash !== undefined) await tx.users.update(user.accountId, user.userId, { passwordHash });
            await clear(tx);
          });
        });
      });
    },

    /** Ends every session of the person. Throws `unauthorized` for a link that is not valid any more, else as above. */
    async withReset({ resetToken, newPassword, totp }: ResetLogin, context: RequestContext) {
      const { remoteAddress, signature } = context.facts;
      await throttle.look(remoteAddress);
      const digest = tokenDigest('reset', resetToken);
      const reset = digest === null ? null : await store.read.passwordResets.find(digest);
      const user = reset === null ? null : await store.read.users.find(reset.accountId, reset.userId);
      if (reset === null || user === null) {
        await throttle.failed(remoteAddress);
        throw deadLink();
      }
      return refusingAs(authenticatedAs(user), async () => {
        if (reset.usedAt !== null || reset.expiresAt <= clock() || user.disabledAt !== null) {
          await throttle.failed(remoteAddress);
          throw deadLink();
        }
        const { accountId, userId } = user;
        return guarded(foldLoginName(user.username), remoteAddress, async (clear) => {
          await assertMayLogIn(deps, user, remoteAddress);
          checkNewPassword(newPassword, user, 'new_password');
          const takeCode = secondFactor(deps, user, totp);
          const boundKeyId = await signingKeyOf(deps.signingKeys, user, signature);
          const passwordHash = await passwords.hash(newPassword, whoseTurn(context));
          const session = await openSession(deps, user, { method: 'reset', boundKeyId, remoteAddress });
          return commit(session, context, async (tx) => {
            const at = clock();
            await assertUnchanged(tx, user);
            if (!(await tx.passwordResets.use(accountId, reset.digest, at))) throw deadLink();
            await takeCode(tx);
            await tx.users.update(accountId, userId, { passwordHash, passwordChangedAt: at, updatedAt: at });
            await tx.sessions.endAll(accountId, userId, at, 'password');
            await clear(tx);
          });
        });
      });
    },
  };

  async function commit(
    session: NewSession,
    context: RequestContext,
    before: (tx: Repositories) => Promise<void>,
  ): Promise<Tokens> {
    await store.write(async (tx) => {
      await before(tx);
      await session.store(tx, context);
    });
    return session.tokens;
  }
}

export type LoginService = ReturnType<typeof createLogin>;

/** Nobody is known yet: those behind one address take one turn, so that guessing at one account's door keeps nobody else waiting. */
const whoseTurn = ({ facts, signal }: RequestContext): Deriver => ({
  accountId: `address ${facts.remoteAddress}`,
  signal,
});
