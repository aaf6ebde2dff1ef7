/** OAuth clients as a request makes, shows, rotates and revokes them. */
import { DomainError } from '../../core/errors.ts';
import type { PageRequest } from '../../store/records.ts';
import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { isActive } from './credential-record.ts';
import { assertMayChange, type CredentialRequest } from './grants.ts';
import { type ManagementDeps, manageCredentials } from './manage-credentials.ts';
import { newOAuthClient } from './new-oauth-client.ts';
import type { SigningKeyService } from './signing-keys.ts';

export type OAuthClientView = Omit<OAuthClientRecord, 'secretHash' | 'previousSecretHash'> & { active: boolean };

/** What is answered once and never again. */
export interface IssuedOAuthClient {
  readonly client: OAuthClientView;
  readonly clientSecret: string;
  /** RFC 7638 thumbprint of the enrolled key; null where none was given. */
  readonly signingKeyId: string | null;
}

export function createOAuthClientManagement(
  deps: ManagementDeps & {
    signingKeys: Pick<SigningKeyService, 'enrol'>;
    randomBytes: (size: number) => Uint8Array;
  },
) {
  const { store, signingKeys, randomBytes, clock } = deps;
  const { view, find, commit, granted, pageOf, get, revoke, made, takenOver } = manageCredentials(deps, {
    kind: 'oauth_client',
    noun: 'OAuth client',
    field: 'client_id',
    shown: ({ secretHash: _, previousSecretHash: __, ...shown }: OAuthClientRecord) => shown,
    rows: (tx) => tx.oauthClients,
  });

  return {
    get,
    /** Its tokens are refused with it. */
    revoke,

    /** Without a `publicKey` the client can only read. */
    async create(request: CredentialRequest, context: RequestContext) {
      const at = clock();
      const { record, clientSecret } = newOAuthClient(await granted(request, context, at), randomBytes, at);
      const { accountId, clientId: target, name } = record;
      return commit(context, async (tx) => {
        await tx.oauthClients.insert(record);
        const owner = { accountId, kind: 'oauth_client', id: target } as const;
        const { publicKey: publicJwk } = request;
        const enrolled = publicJwk === undefined ? null : await signingKeys.enrol(tx, owner, { name, publicJwk });
        const signingKeyId = enrolled?.keyId ?? null;
        const result: IssuedOAuthClient = { client: view(record, at), clientSecret, signingKeyId };
        return { result, target, change: made(record, signingKeyId, at) };
      });
    },

    async page(page: PageRequest, { accountId }: RequestContext) {
      const at = clock();
      return pageOf(await store.read.oauthClients.list(accountId, page), at);
    },

    /** A new secret; the old one serves for so long besides. Its tokens stay. */
    async rotate(clientId: string, { overlapSeconds }: { overlapSeconds: number }, context: RequestContext) {
      const at = clock();
      const old = await find(clientId, context);
      // The new secret is answered: whoever gets it has all that the client has.
      assertMayChange(context.credential, old);
      const over = () => new DomainError('state_conflict', `${clientId} was revoked or has expired: make a new client`);
      if (!isActive(old, at)) throw over();
      const { record, clientSecret } = newOAuthClient(old, randomBytes, at);
      const { id, countsAs: voice } = context.credential;
      // Whoever is given the secret speaks with the client's voice from now on: it becomes theirs.
      const countsAs = id === clientId ? old.countsAs : (voice ?? id);
      const fresh = { secretHash: record.secretHash, previousSecretUntil: at + overlapSeconds * 1000, countsAs };
      return commit(context, async (tx) => {
        if (!(await tx.oauthClients.rotate(old.accountId, clientId, fresh))) throw over();
        const after = { ...old, ...fresh };
        const change = await takenOver(tx, old, after, { id: clientId, credential: context.credential }, at);
        return { result: { client: view(after, at), clientSecret }, target: clientId, change };
      });
    },
  };
}

export type OAuthClientManagement = ReturnType<typeof createOAuthClientManagement>;
