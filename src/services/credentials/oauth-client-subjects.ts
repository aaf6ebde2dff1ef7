/** What an OAuth client may do now: loaded for its tokens, and for signatures by keys enrolled for it. */

import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import type { Store } from '../../store/store.ts';
import type { LoadedSubject, SubjectLoader } from '../tokens/access-tokens.ts';
import { addressList } from './address-list.ts';
import { createCredentialCache } from './credential-cache.ts';
import { callerFrom, isActive } from './credential-record.ts';

export function createOAuthClientSubjects(deps: {
  store: Pick<Store, 'read' | 'onCredentials' | 'pollForeignCommits'>;
  signaturePolicy: 'required' | 'per-key';
  clock: () => number;
}): SubjectLoader {
  const { store, signaturePolicy, clock } = deps;

  async function read(clientId: string): Promise<{ client: OAuthClientRecord; subject: LoadedSubject } | null> {
    const client = await store.read.oauthClients.findByClientId(clientId);
    if (client === null) return null;
    const { accountId } = client;
    const account = await store.read.accounts.find(accountId);
    if (account === null) return null;
    const keys = await store.read.signingKeys.countStanding({ accountId, kind: 'oauth_client', id: clientId });
    // Without an enrolled key it can only read.
    const credential = { kind: 'oauth_client', id: clientId, signingKey: keys > 0 ? 'any' : 'none' } as const;
    const caller = callerFrom(client, account, credential, signaturePolicy);
    return {
      client,
      subject: { caller, allowedIps: client.allowedIps === null ? null : addressList(client.allowedIps) },
    };
  }
  const cache = createCredentialCache({ store, clock, read });

  const standing = (found: Awaited<ReturnType<typeof read>>): LoadedSubject | null =>
    found !== null && isActive(found.client, clock()) ? found.subject : null;

  return {
    findCached: ({ subjectId }) => {
      const found = cache.get(subjectId);
      return found === undefined ? undefined : standing(found);
    },
    find: async ({ subjectId }) => standing(await cache.load(subjectId)),
  };
}
