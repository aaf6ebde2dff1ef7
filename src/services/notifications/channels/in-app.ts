import type { AccountId } from '../../../core/ids.ts';
import type { Repositories } from '../../../store/store.ts';
import { type Channel, refusedFor } from './channel.ts';

/** It has arrived when its delivery is written: the list shows it from there, unless there is nobody any more to whom. */
export const createInApp = (read: Pick<Repositories, 'users'>): Channel => ({
  name: 'in_app',
  configured: () => true,
  needs: '',
  deliver: async ({ notification: { accountId }, recipient }) =>
    (await isGone(read, accountId, recipient)) ? refusedFor('the person was deleted') : { delivered: true, code: null },
});

/** Who is disabled may come back. */
export async function isGone(
  read: Pick<Repositories, 'users'>,
  accountId: AccountId,
  subject: string,
): Promise<boolean> {
  const user = subject.startsWith('usr_') ? await read.users.find(accountId, subject) : null;
  return user !== null && user.deletedAt !== null;
}
