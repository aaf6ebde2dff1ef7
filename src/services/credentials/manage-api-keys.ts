/** API keys as a request makes, shows, rotates and revokes them: within its account, and never beyond what the caller has. */
import type { Role } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountRecord, ApiKeyRecord, Page, PageRequest } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ApiKeyDeps } from './api-keys.ts';
import { assertMayGrant, assertMayTouch, assertToCome, type CredentialRequest, grantedCredential } from './grants.ts';
import { draftApiKey, draftSuccessor, type IssuedApiKey } from './issue-api-key.ts';
import { isActive } from './new-api-key.ts';

export type ApiKeyRequest = CredentialRequest;

export interface RotateRequest {
  overlapSeconds: number;
  publicKey?: unknown;
  expiresAt?: number;
}

/** A key as it is shown; `active` goes by the time of the request. */
export type ApiKeyView = Omit<ApiKeyRecord, 'secretHash'> & { active: boolean };
export type IssuedApiKeyView = Omit<IssuedApiKey, 'record'> & { record: ApiKeyView };

export interface ApiKeyManagement {
  create(request: ApiKeyRequest, context: RequestContext): Promise<IssuedApiKeyView>;
  page(
    filter: { name?: string; role?: Role; active?: boolean },
    page: PageRequest,
    context: RequestContext,
  ): Promise<Page<ApiKeyView>>;
  get(keyId: string, context: RequestContext): Promise<ApiKeyView>;
  /** Also its signing keys. One that is revoked already stays so. */
  revoke(keyId: string, context: RequestContext): Promise<void>;
  /** Administrators rotate any key that they could have made; every key may rotate itself, within its own expiry. */
  rotate(keyId: string, request: RotateRequest, context: RequestContext): Promise<IssuedApiKeyView>;
}

export function createApiKeyManagement(deps: ApiKeyDeps): ApiKeyManagement {
  const { store, signingKeys, signaturePolicy, clock } = deps;

  const view = ({ secretHash: _, ...record }: ApiKeyRecord, at: number): ApiKeyView => ({
    ...record,
    active: isActive(record, at),
  });

  async function find(keyId: string, { accountId }: RequestContext): Promise<ApiKeyRecord> {
    const record = await store.read.apiKeys.find(accountId, keyId);
    if (record === null) throw new DomainError('not_found', 'there is no such API key', { field: 'api_key_id' });
    return record;
  }

  return {
    async create(request, context) {
      const at = clock();
      const account = await ownAccount(store, context);
      const granted = grantedCredential(request, account, context, { signaturePolicy, at });
      const key = { ...granted, createdBy: context.credential.id };
      const draft = draftApiKey(deps, key, request.publicKey, at);
      return store.write(async (tx) => {
        const { record, ...secrets } = await draft.store(tx);
        const result = { ...secrets, record: view(record, at) };
        await recordRequest(tx, context, { result, target: record.keyId });
        return result;
      });
    },

    async page(filter, page, { accountId }) {
      const at = clock();
      const { active, ...rest } = filter;
      const found = await store.read.apiKeys.page(
        accountId,
        { ...rest, ...(active === undefined ? {} : { active: { is: active, at } }) },
        page,
      );
      return { ...found, data: found.data.map((record) => view(record, at)) };
    },

    get: async (keyId, context) => view(await find(keyId, context), clock()),

    async revoke(keyId, context) {
      const { accountId, role } = await find(keyId, context);
      assertMayTouch(context.credential, { role });
      await store.write(async (tx) => {
        await tx.apiKeys.revoke(accountId, keyId, clock());
        await signingKeys.revokeAll(tx, { accountId, kind: 'api_key', id: keyId });
        await recordRequest(tx, context, { result: null, target: keyId });
      });
    },

    async rotate(keyId, request, context) {
      const at = clock();
      const old = await find(keyId, context);
      refuseForeignRotation(old, request, context);
      if (request.expiresAt !== undefined) assertToCome(request.expiresAt, at);
      const kept = { ...old, requireSignature: old.requireSignature || signaturePolicy === 'required' };
      const commit = draftSuccessor(deps, kept, { ...request, createdBy: context.credential.id }, at);
      return store.write(async (tx) => {
        const { record, ...secrets } = await commit(tx);
        const result = { ...secrets, record: view(record, at) };
        await recordRequest(tx, context, { result, target: record.keyId });
        return result;
      });
    },
  };
}

async function ownAccount(store: Pick<Store, 'read'>, { accountId }: RequestContext): Promise<AccountRecord> {
  const account = await store.read.accounts.find(accountId);
  if (account === null) throw new DomainError('not_found', 'the account is gone');
  return account;
}

/** The successor's secrets are answered: whoever gets them could have made such a key, or is the key. */
function refuseForeignRotation(old: ApiKeyRecord, request: RotateRequest, { credential }: RequestContext): void {
  if (credential.kind === 'api_key' && credential.id === old.keyId) {
    if (request.expiresAt !== undefined && old.expiresAt !== null && request.expiresAt > old.expiresAt) {
      throw new DomainError('forbidden', 'a key that rotates itself cannot put off its own expiry', {
        field: 'expires_at',
      });
    }
    return;
  }
  if (credential.role !== 'admin') {
    throw new DomainError('forbidden', 'this needs the role admin: other credentials rotate only themselves');
  }
  assertMayGrant(credential, old);
}
