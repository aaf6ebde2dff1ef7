import { DomainError } from '../../core/errors.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { assertMayEnd } from '../credentials/grants.ts';
import { hadByUser } from '../credentials/rights.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userOf } from './user-of.ts';

/** For good: the record stays for the audit log, without secrets; the names are free. Throws `state_conflict` for oneself. */
export const deleteUser =
  ({ store, signingKeys, clock }: UserDependencies) =>
  (userId: string, context: RequestContext): Promise<void> =>
    store.write(async (tx) => {
      const { accountId } = context;
      const user = await endable(tx, userId, context);
      const at = clock();
      await tx.users.update(accountId, userId, {
        passwordHash: null,
        totpSecret: null,
        totpConfirmedAt: null,
        emailVerifiedAt: null,
        disabledAt: user.disabledAt ?? at,
        deletedAt: at,
        updatedAt: at,
      });
      await tx.users.setLoginNames(accountId, userId, null);
      await tx.users.setRecoveryCodes(accountId, userId, []);
      await tx.sso.deleteIdentities(accountId, userId);
      await endLogins(tx, user, at);
      await signingKeys.revokeAll(tx, { accountId, kind: 'person', id: userId });
      await recordRequest(tx, context, { result: null, target: userId });
    });

/** The person logs in no more until an administrator enables them; record, names and keys stay. Throws `state_conflict` for oneself. */
export const deactivateUser =
  ({ store, clock }: UserDependencies) =>
  (userId: string, context: RequestContext): Promise<void> =>
    store.write(async (tx) => {
      const user = await endable(tx, userId, context);
      const at = clock();
      await tx.users.update(user.accountId, userId, { disabledAt: user.disabledAt ?? at, updatedAt: at });
      await endLogins(tx, user, at);
      await recordRequest(tx, context, { result: null, target: userId });
    });

/** The record, where the caller may end it. */
async function endable(tx: Repositories, userId: string, { accountId, credential }: RequestContext) {
  const user = await userOf(tx, accountId, userId);
  if (credential.kind === 'person' && credential.id === userId) {
    throw new DomainError('state_conflict', 'nobody deletes themselves: another administrator can', {
      field: 'user_id',
    });
  }
  assertMayEnd(credential, hadByUser(user));
  return user;
}

async function endLogins(tx: Repositories, { accountId, userId }: UserRecord, at: number): Promise<void> {
  await tx.passwordResets.deleteAll(accountId, userId);
  await tx.sessions.endAll(accountId, userId, at, 'disabled');
}
