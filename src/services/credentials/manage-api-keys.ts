/** API keys as a request makes, shows, rotates and revokes them: within its account, and never beyond what the caller has. */
import type { Role } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountRecord, ApiKeyRecord, PageRequest } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import type { ApiKeyDeps } from './api-keys.ts';
import {
  assertMayChange,
  assertMayEnd,
  assertMayGive,
  assertToCome,
  type CredentialRequest,
  grantedRights,
} from './grants.ts';
import { draftApiKey, draftSuccessor, type IssuedApiKey } from './issue-api-key.ts';
import { isActive } from './new-api-key.ts';

type ApiKeyRequest = CredentialRequest;

export interface RotateRequest {
  overlapSeconds: number;
  publicKey?: unknown;
  expiresAt?: number;
}

/** A key as it is shown; `active` goes by the time of the request. */
export type ApiKeyView = Omit<ApiKeyRecord, 'secretHash'> & { active: boolean };
export type IssuedApiKeyView = Omit<IssuedApiKey, 'record'> & { record: ApiKeyView };

export function createApiKeyManagement(deps: ApiKeyDeps) {
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
    async create(request: ApiKeyRequest, context: RequestContext) {
      const at = clock();
      const account = await ownAccount(store, context);
      const { accountId, credential } = context;
      assertToCome(request.expiresAt, at);
      const rights = grantedRights(request, account, credential, signaturePolicy);
      const key = { accountId, name: request.name, ...rights, createdBy: credential.id };
      const draft = draftApiKey(deps, key, request.publicKey, at);
      return store.write(async (tx) => {
        const { record, ...secrets } = await draft.store(tx);
        const result = { ...secrets, record: view(record, at) };
        await recordRequest(tx, context, { result, target: record.keyId });
        return result;
      });
    },

    async page(
      filter: { name?: string; role?: Role; active?: boolean },
      page: PageRequest,
      { accountId }: RequestContext,
    ) {
      const at = clock();
      const { active, ...rest } = filter;
      const found = await store.read.apiKeys.page(
        accountId,
        { ...rest, ...(active === undefined ? {} : { active: { is: active, at } }) },
        page,
      );
      return { ...found, data: found.data.map((record) => view(record, at)) };
    },

    get: async (keyId: string, context: RequestContext) => view(await find(keyId, context), clock()),

    /** Also its signing keys. One that is revoked already stays so. */
    async revoke(keyId: string, context: RequestContext) {
      const key = await find(keyId, context);
      assertMayEnd(context.credential, key);
      const { accountId } = key;
      await store.write(async (tx) => {
        await tx.apiKeys.revoke(accountId, keyId, clock());
        await signingKeys.revokeAll(tx, { accountId, kind: 'api_key', id: keyId });
        await recordRequest(tx, context, { result: null, target: keyId });
      });
    },

    /** Administrators rotate any key that they could have made; every key may rotate itself, within its own expiry. */
    async rotate(keyId: string, request: RotateRequest, context: RequestContext) {
      const at = clock();
      const old = await find(keyId, context);
      assertToCome(request.expiresAt, at);
      const kept = { ...old, requireSignature: old.requireSignature || signaturePolicy === 'required' };
      assertMayRotate(context.credential, kept, request);
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

export type ApiKeyManagement = ReturnType<typeof createApiKeyManagement>;

async function ownAccount(store: Pick<Store, 'read'>, { accountId }: RequestContext): Promise<AccountRecord> {
  const account = await store.read.accounts.find(accountId);
  if (account === null) throw new DomainError('not_found', 'the account is gone');
  return account;
}

/** The successor's secrets are answered: whoever gets them has all that the key has, or is the key. */
function assertMayRotate(
  by: Credential,
  old: ApiKeyRecord,
  { expiresAt = old.expiresAt }: { expiresAt?: number | null },
): void {
  if (by.kind !== 'api_key' || by.id !== old.keyId) {
    if (by.role !== 'admin') {
      throw new DomainError('forbidden', 'this needs the role admin: other credentials rotate only themselves');
    }
    assertMayChange(by, old);
  }
  assertMayGive(by, { ...old, expiresAt });
}
