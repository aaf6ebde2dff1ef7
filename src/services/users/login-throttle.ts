/**
 * Slows the guessing of passwords and codes. Failures are counted in the database, so that every process counts together: by name and
 * neighbourhood, and by name alone for neighbourhoods that the person never logged in from. So whoever guesses from elsewhere locks
 * out nobody who comes from where they usually do. Counted before the password is looked at: many guesses at once are many guesses.
 */
import { createHmac } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import { addressClass } from '../../core/users/address-class.ts';
import { FAR_RULE, failedAgain, type LockRule, lockedFor, NEAR_RULE } from '../../core/users/login-lock.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { Attempts } from '../limits/limits.ts';

/** Failures per minute from one neighbourhood, whatever the names. */
const BY_ADDRESS = { limit: 30, windowSeconds: 60 } as const;
const KNOWN_FOR_MS = 90 * 24 * 3_600_000;

export function createLoginThrottle(deps: {
  store: Store;
  attempts: Attempts;
  /** Keys the names that are stored: of invented ones nothing is to be read from the table. */
  key: Uint8Array;
  clock: () => number;
}) {
  const { store, attempts, key, clock } = deps;
  const keyed = (name: string, where: string) => createHmac('sha256', key).update(`${where} ${name}`).digest('hex');
  const byAddress = (remoteAddress: string) => `login ${addressClass(remoteAddress)}`;

  async function look(remoteAddress: string): Promise<void> {
    const { allowed, remaining, resetAt } = await attempts.look(byAddress(remoteAddress), BY_ADDRESS);
    if (allowed && remaining > 0) return;
    throw tooMany(resetAt * 1000 - clock());
  }
  const failed = async (remoteAddress: string): Promise<void> => {
    await attempts.count(byAddress(remoteAddress), BY_ADDRESS);
  };

  async function isKnown(tx: Repositories, name: string, where: string): Promise<boolean> {
    const user = await tx.users.findByLoginName(name);
    if (user === null) return false;
    return tx.sessions.cameFrom(user.accountId, user.userId, where, clock() - KNOWN_FOR_MS);
  }

  return {
    /** The limit by address alone, for one-time links. */
    look,
    failed,
    /** Counts an attempt on a folded name as failed. Throws `rate_limited` where it must wait. */
    async begin(name: string, remoteAddress: string) {
      await look(remoteAddress);
      const where = addressClass(remoteAddress);
      const near = keyed(name, where);
      const far = keyed(name, 'anywhere');
      const now = clock();
      let before = { near: 0, far: 0 };
      const wait = await store.write(async (tx) => {
        // Always in this order, so that no two jobs wait for each other.
        const nearCount = await tx.loginFailures.findForUpdate(near);
        const farCount = await tx.loginFailures.findForUpdate(far);
        const nearWait = lockedFor(nearCount, now, NEAR_RULE);
        const farWait = lockedFor(farCount, now, FAR_RULE);
        if (nearWait > 0) return nearWait;
        if (farWait > 0 && !(await isKnown(tx, name, where))) return farWait;
        before = { near: nearCount.lastFailedAt, far: farCount.lastFailedAt };
        await tx.loginFailures.set(near, failedAgain(nearCount, now, NEAR_RULE));
        await tx.loginFailures.set(far, failedAgain(farCount, now, FAR_RULE));
        return 0;
      });
      if (wait > 0) throw tooMany(wait);
      return {
        /** It was wrong: counts for the address too. */
        failed: () => failed(remoteAddress),
        /** In the job that lets them in: nothing stays counted. */
        async succeeded(tx: Pick<Repositories, 'loginFailures'>) {
          await tx.loginFailures.delete(near);
          await takeBack(tx, far, now, before.far);
        },
        /** It was neither: takes back what `begin` counted. */
        withdraw: () =>
          store.write(async (tx) => {
            await takeBack(tx, near, now, before.near);
            await takeBack(tx, far, now, before.far);
          }),
      };
    },
  };
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>;

/** As if the attempt had not been: the time, too, where none was counted since. */
async function takeBack(
  tx: Pick<Repositories, 'loginFailures'>,
  key: string,
  countedAt: number,
  before: number,
): Promise<void> {
  const { failures, lastFailedAt } = await tx.loginFailures.findForUpdate(key);
  if (failures <= 1) await tx.loginFailures.delete(key);
  else {
    const at = lastFailedAt === countedAt ? before : lastFailedAt;
    await tx.loginFailures.set(key, { failures: failures - 1, lastFailedAt: at });
  }
}

/** How long the longest count lives: older ones may be deleted. */
export const FAILURES_LIVE_MS = Math.max(...[NEAR_RULE, FAR_RULE].map((rule: LockRule) => rule.forgottenMs));

const tooMany = (waitMs: number): DomainError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new DomainError('rate_limited', `too many logins failed: wait ${retryAfterSeconds} s`, { retryAfterSeconds });
};
