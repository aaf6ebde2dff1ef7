/** Giving oneself a second factor: offered, in force once a code has shown that the app has it, and taken away with a code. */
import { DomainError } from '../../core/errors.ts';
import { addsVoice } from '../../core/policies/rules-change.ts';
import { foldLoginName } from '../../core/users/login-name.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { assertMayChange } from '../credentials/grants.ts';
import { hadByUser, rightsOfUser } from '../credentials/rights.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { setBy } from './password-resets.ts';
import { cipherBinding, hasSecondFactor, recoveryDigest, secondFactor, wrongCode } from './second-factor.ts';
import { newRecoveryCodes, newTotpSecret, totpStep, totpUri } from './totp.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { noUser, userOf } from './user-of.ts';

const NONE = { totpSecret: null, totpConfirmedAt: null } as const;
const conflict = (message: string) => new DomainError('state_conflict', message);

export function createSecondFactors(deps: UserDependencies) {
  const { store, passwords, throttle, cipher, clock, randomBytes } = deps;

  async function self({ accountId, credential }: RequestContext): Promise<UserRecord> {
    const user = await store.read.users.find(accountId, credential.id);
    if (user === null) throw noUser();
    return user;
  }

  /** Guesses count as those of a login do. A right code clears the count, a right password alone does not. */
  async function guarded<T>(
    user: UserRecord,
    context: RequestContext,
    check: (clear: (tx: Pick<Repositories, 'loginFailures'>) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const attempt = await throttle.begin(foldLoginName(user.username), context.facts.remoteAddress);
    try {
      return await check(attempt.succeeded);
    } catch (error) {
      const guess = error instanceof DomainError && (error.code === 'unauthorized' || error.code === 'forbidden');
      await (guess ? attempt.failed() : attempt.withdraw());
      // They are logged in: it is the code that is refused, not their token.
      if (guess) throw new DomainError('forbidden', error.message, error.details);
      throw error;
    }
  }

  async function checkPassword(user: UserRecord, password: string | undefined, context: RequestContext): Promise<void> {
    const attempt = await throttle.begin(foldLoginName(user.username), context.facts.remoteAddress);
    const { right } = await passwords
      .verify(password ?? '', user.passwordHash, context)
      .catch(async (error: unknown) => {
        await attempt.withdraw();
        throw error;
      });
    await (right ? attempt.withdraw() : attempt.failed());
    if (!right) throw new DomainError('forbidden', 'the password is wrong', { field: 'password' });
  }

  return {
    /** Throws `forbidden` for a wrong password, `state_conflict` where a second factor is in force. */
    async start(password: string | undefined, context: RequestContext) {
      const user = await self(context);
      if (hasSecondFactor(user)) throw conflict('a second factor is in force: remove it before starting another');
      if (user.passwordHash !== null) {
        await checkPassword(user, password, context);
      }
      const secret = newTotpSecret(randomBytes);
      const offer = { secret, uri: totpUri(secret, user.username) };
      await store.write(async (tx) => {
        const now = await userOf(tx, user.accountId, user.userId);
        if (hasSecondFactor(now)) throw conflict('a second factor is in force: remove it before starting another');
        const totpSecret = cipher.encrypt(secret, cipherBinding(user.userId));
        await tx.users.update(user.accountId, user.userId, { totpSecret, totpConfirmedAt: null, updatedAt: clock() });
        await recordRequest(tx, context, { result: offer, target: user.userId });
      });
      return offer;
    },

    /** Throws `forbidden` for a wrong code, `state_conflict` where none was offered. */
    async confirm(code: string, context: RequestContext) {
      const user = await self(context);
      const { accountId, userId } = user;
      const recoveryCodes = newRecoveryCodes(randomBytes);
      const confirmed = { recoveryCodes };
      return guarded(user, context, (clear) =>
        store.write(async (tx) => {
          const now = await userOf(tx, accountId, userId);
          if (hasSecondFactor(now)) throw conflict('the second factor is in force already');
          if (now.totpSecret === null) throw conflict('no second factor was started: POST /api/v1/auth/totp first');
          const at = clock();
          const step = totpStep(cipher.decrypt(now.totpSecret, cipherBinding(userId)), code, at);
          if (step === null || !(await tx.users.takeTotpStep(accountId, userId, step))) throw wrongCode();
          await clear(tx);
          await tx.users.update(accountId, userId, { totpConfirmedAt: at, updatedAt: at });
          await tx.users.setRecoveryCodes(accountId, userId, recoveryCodes.map(recoveryDigest));
          await recordRequest(tx, context, { result: confirmed, target: userId });
          return confirmed;
        }),
      );
    },

    /** With a code of the app, or a recovery code; throws `forbidden` for a wrong one. */
    async remove(code: string, context: RequestContext) {
      const user = await self(context);
      const { accountId, userId } = user;
      if (!hasSecondFactor(user)) throw conflict('no second factor is in force');
      await guarded(user, context, async (clear) => {
        const takeCode = secondFactor(deps, user, code);
        await store.write(async (tx) => {
          await userOf(tx, accountId, userId);
          await takeCode(tx);
          await clear(tx);
          await tx.users.update(accountId, userId, { ...NONE, updatedAt: clock() });
          await tx.users.setRecoveryCodes(accountId, userId, []);
          await recordRequest(tx, context, { result: null, target: userId });
        });
      });
    },

    /** By an administrator, for who has lost app and codes: ends the person's sessions. */
    removeFrom: (userId: string, context: RequestContext) =>
      store.write(async (tx) => {
        const { accountId, credential } = context;
        const user = await userOf(tx, accountId, userId);
        if (credential.kind === 'person' && credential.id === userId) {
          throw conflict('your own second factor is removed with a code: DELETE /api/v1/auth/totp');
        }
        assertMayChange(credential, hadByUser(user));
        const at = clock();
        await tx.users.update(accountId, userId, { ...NONE, ...setBy(user, context), updatedAt: at });
        await tx.users.setRecoveryCodes(accountId, userId, []);
        await tx.sessions.endAll(accountId, userId, at, 'revoked');
        const after = { ...user, ...NONE };
        const change = addsVoice(rightsOfUser(user), { own: false }) ? { before: user, after } : null;
        await recordRequest(tx, context, { result: null, target: userId, change });
      }),
  };
}

export type SecondFactorService = ReturnType<typeof createSecondFactors>;
