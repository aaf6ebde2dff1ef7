/** The second factor of a login: a code of the app, or a recovery code, each taken once. */
import { hash } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { RECOVERY_FORM, totpStep } from './totp.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** In the job of what the code opens: throws `unauthorized` where it was taken before. */
export type TakeCode = (tx: Pick<Repositories, 'users'>) => Promise<void>;

export const cipherBinding = (userId: string): string => `second factor ${userId}`;
export const recoveryDigest = (code: string): string => hash('sha256', code, 'hex');
export const hasSecondFactor = (user: UserRecord): boolean => user.totpConfirmedAt !== null;

const WRONG = 'the code is wrong, or was used before: wait for the next one';

/**
 * What takes the code that was sent. Throws `totp_required` where one is needed and none was sent, `unauthorized` for a wrong one.
 * Users without a second factor need none; a code that they send is ignored.
 */
export function secondFactor(
  deps: Pick<UserDependencies, 'cipher' | 'clock'>,
  user: UserRecord,
  code: string | undefined,
): TakeCode {
  const { accountId, userId, totpSecret } = user;
  if (!hasSecondFactor(user) || totpSecret === null) return async () => {};
  if (code === undefined) {
    throw new DomainError('totp_required', 'this person has a second factor: send its code in totp', { field: 'totp' });
  }
  const at = deps.clock();
  if (RECOVERY_FORM.test(code)) {
    return async (tx) => {
      if (!(await tx.users.takeRecoveryCode(accountId, userId, recoveryDigest(code), at))) throw wrongCode();
    };
  }
  const step = totpStep(deps.cipher.decrypt(totpSecret, cipherBinding(userId)), code, at);
  if (step === null) throw wrongCode();
  return async (tx) => {
    if (!(await tx.users.takeTotpStep(accountId, userId, step))) throw wrongCode();
  };
}

export const wrongCode = (): DomainError => new DomainError('unauthorized', WRONG, { field: 'totp' });
