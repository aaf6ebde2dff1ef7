/** OAuth clients as a request makes, shows, rotates and revokes them: within its account, and never beyond what the caller has. */
import { DomainError } from '../../core/errors.ts';
import type { PageRequest } from '../../store/records.ts';
import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import type { Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { assertMayChange, assertMayEnd, assertToCome, type CredentialRequest, grantedRights } from './grants.ts';
import { clientStands, newOAuthClient } from './new-oauth-client.ts';
import type { SigningKeyService } from './signing-keys.ts';

/** Without a `publicKey` the client can only read. */
type OAuthClientRequest = CredentialRequest;

/** As it is shown: nothing of its secrets. */
export type OAuthClientView = Omit<OAuthClientRecord, 'secretHash' | 'previousSecretHash'> & { active: boolean };

/** What is answered once and never again. */
export interface IssuedOAuthClient {
  readonly client: OAuthClientView;
  readonly clientSecret: string;
  /** RFC 7638 thumbprint of the enrolled key; null where none was given. */
  readonly signingKeyId: string | null;
}

export function createOAuthClients(deps: {
  store: Store;
  signingKeys: Pick<SigningKeyService, 'enrol' | 'revokeAll'>;
  signaturePolicy: 'required' | 'per-key';
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
}) {
  const { store, signingKeys, signaturePolicy, randomBytes, clock } = deps;

  const view = (client: OAuthClientRecord, at: number): OAuthClientView => {
    const { secretHash: _, previousSecretHash: __, ...rest } = client;
    return { ...rest, active: clientStands(client, at) };
  };

  async function find(clientId: string, { accountId }: RequestContext): Promise<OAuthClientRecord> {
    const client = await store.read.oauthClients.find(accountId, clientId);
    if (client === null) throw new DomainError('not_found', 'there is no such OAuth client', { field: 'client_id' });
    return client;
  }

  return {
    async create(request: OAuthClientRequest, context: RequestContext) {
      const at = clock();
      const account = await store.read.accounts.find(context.accountId);
      if (account === null) throw new DomainError('not_found', 'the account is gone');
      assertToCome(request.expiresAt, at);
      const rights = grantedRights(request, account, context.credential, signaturePolicy);
      const client = { accountId: context.accountId, name: request.name, ...rights };
      const { record, clientSecret } = newOAuthClient(client, randomBytes, at);
      return store.write(async (tx) => {
        await tx.oauthClients.insert(record);
        const owner = { accountId: record.accountId, kind: 'oauth_client', id: record.clientId } as const;
        const enrolled =
          request.publicKey === undefined
            ? null
            : await signingKeys.enrol(tx, owner, { name: record.name, publicJwk: request.publicKey });
        const result = { client: view(record, at), clientSecret, signingKeyId: enrolled?.keyId ?? null };
        await recordRequest(tx, context, { result, target: record.clientId });
        return result;
      });
    },

    async page(page: PageRequest, { accountId }: RequestContext) {
      const at = clock();
      const found = await store.read.oauthClients.list(accountId, page);
      return { ...found, data: found.data.map((client) => view(client, at)) };
    },

    get: async (clientId: string, context: RequestContext) => view(await find(clientId, context), clock()),

    /** Its tokens are refused and its keys revoked with it. One that is revoked already stays so. */
    async revoke(clientId: string, context: RequestContext) {
      const client = await find(clientId, context);
      assertMayEnd(context.credential, client);
      const { accountId } = client;
      await store.write(async (tx) => {
        await tx.oauthClients.revoke(accountId, clientId, clock());
        await signingKeys.revokeAll(tx, { accountId, kind: 'oauth_client', id: clientId });
        await recordRequest(tx, context, { result: null, target: clientId });
      });
    },

    /** A new secret; the old one serves for so long besides. Its tokens stay. */
    async rotate(clientId: string, { overlapSeconds }: { overlapSeconds: number }, context: RequestContext) {
      const at = clock();
      const old = await find(clientId, context);
      // The new secret is answered: whoever gets it has all that the client has.
      assertMayChange(context.credential, old);
      const over = () => new DomainError('state_conflict', `${clientId} was revoked or has expired: make a new client`);
      if (!clientStands(old, at)) throw over();
      const { record, clientSecret } = newOAuthClient(old, randomBytes, at);
      const { secretHash } = record;
      const previousSecretUntil = at + overlapSeconds * 1000;
      return store.write(async (tx) => {
        if (!(await tx.oauthClients.rotate(old.accountId, clientId, { secretHash, previousSecretUntil }))) throw over();
        const result = { client: view({ ...old, secretHash, previousSecretUntil }, at), clientSecret };
        await recordRequest(tx, context, { result, target: clientId });
        return result;
      });
    },
  };
}

export type OAuthClientService = ReturnType<typeof createOAuthClients>;
