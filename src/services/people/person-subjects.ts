/** Whom a person's token speaks for: the user record and the session as they are now, not as they were at login. */
import type { Store } from '../../store/store.ts';
import { createCredentialCache } from '../credentials/credential-cache.ts';
import type { LoadedSubject, SubjectLoader } from '../tokens/access-tokens.ts';
import { personCredential } from './person-credential.ts';

export function createPersonSubjects(deps: { store: Store; clock: () => number }): SubjectLoader {
  const { store, clock } = deps;

  async function read(key: string): Promise<LoadedSubject | null> {
    const [userId = '', sessionId = ''] = key.split(' ');
    const user = await store.read.users.findById(userId);
    if (user === null || user.disabledAt !== null) return null;
    const { accountId } = user;
    const session = await store.read.sessions.find(accountId, sessionId);
    if (session === null || session.userId !== userId || session.endedAt !== null) return null;
    const account = await store.read.accounts.find(accountId);
    if (account === null) return null;
    return {
      caller: {
        accountId,
        accountFrozen: account.frozenAt !== null,
        platform: account.platform,
        credential: personCredential(user, session),
      },
      allowedIps: null,
    };
  }

  const cache = createCredentialCache<LoadedSubject>({ store, clock, read });
  return {
    findCached: (id, sessionId) => (sessionId === null ? null : cache.get(`${id} ${sessionId}`)),
    find: async (id, sessionId) => (sessionId === null ? null : cache.load(`${id} ${sessionId}`)),
  };
}
