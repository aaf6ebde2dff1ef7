import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';

export const noUser = (): DomainError => new DomainError('not_found', 'there is no such user', { field: 'user_id' });

/** In a job: the person's record, held until it ends. Throws `not_found`, also for the deleted. */
export async function userOf(
  tx: Pick<Repositories, 'users'>,
  accountId: AccountId,
  userId: string,
): Promise<UserRecord> {
  const user = await tx.users.findForUpdate(accountId, userId);
  if (user === null || user.deletedAt !== null) throw noUser();
  return user;
}
