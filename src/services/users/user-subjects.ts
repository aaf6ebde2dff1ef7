/** Whom a person's token speaks for: the user record and the session as they are now, not as they were at login. */

import type { UserRecord } from '../../store/repositories/users.ts';
import type { Store } from '../../store/store.ts';
import { addressList } from '../credentials/address-list.ts';
import { createCredentialCache } from '../credentials/credential-cache.ts';
import type { LoadedSubject, SubjectLoader } from '../tokens/access-tokens.ts';
import { isWithinTime } from './may-log-in.ts';
import { userCredential } from './user-credential.ts';

export function createUserSubjects(deps: { store: Store; clock: () => number }): SubjectLoader {
  const { store, clock } = deps;

  async function read(key: string): Promise<{ user: UserRecord; subject: LoadedSubject } | null> {
    const [userId = '', sessionId = ''] = key.split(' ');
    const user = await store.read.users.findById(userId);
    if (user === null || user.disabledAt !== null) return null;
    const { accountId } = user;
    const session = await store.read.sessions.find(accountId, sessionId);
    if (session === null || session.userId !== userId || session.endedAt !== null) return null;
    const account = await store.read.accounts.find(accountId);
    if (account === null) return null;
    const caller = {
      accountId,
      accountFrozen: account.frozenAt !== null,
      platform: account.platform,
      credential: userCredential(user, session),
    };
    return { user, subject: { caller, allowedIps: user.allowedIps === null ? null : addressList(user.allowedIps) } };
  }

  const cache = createCredentialCache({ store, clock, read });
  const standing = (found: Awaited<ReturnType<typeof read>>): LoadedSubject | null =>
    found !== null && isWithinTime(found.user, clock()) ? found.subject : null;
  return {
    findCached: ({ subjectId, sessionId }) => {
      const found = sessionId === null ? null : cache.get(`${subjectId} ${sessionId}`);
      return found === undefined ? undefined : standing(found);
    },
    find: async ({ subjectId, sessionId }) =>
      sessionId === null ? null : standing(await cache.load(`${subjectId} ${sessionId}`)),
  };
}
