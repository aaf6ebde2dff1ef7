/** API keys as a request makes, shows, rotates and revokes them. */
import type { Role } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { ApiKeyRecord, PageRequest } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import type { RulesChange } from '../policies/pass-change.ts';
import type { Credential, RequestContext } from '../requests/request-context.ts';
import type { ApiKeyDeps } from './api-keys.ts';
import { enrolment } from './enrolment.ts';
import { assertMayChange, assertMayGive, assertToCome, type CredentialRequest } from './grants.ts';
import { draftApiKey, draftSuccessor, type IssuedApiKey, type Rotation } from './issue-api-key.ts';
import { manageCredentials } from './manage-credentials.ts';

export type ApiKeyView = Omit<ApiKeyRecord, 'secretHash'> & { active: boolean };
export type IssuedApiKeyView = Omit<IssuedApiKey, 'record'> & { record: ApiKeyView };

export function createApiKeyManagement(deps: ApiKeyDeps) {
  const { store, signaturePolicy, clock } = deps;
  const { view, find, commit, granted, pageOf, get, revoke, made, takenOver } = manageCredentials(deps, {
    kind: 'api_key',
    noun: 'API key',
    field: 'api_key_id',
    shown: ({ secretHash: _, ...shown }: ApiKeyRecord) => shown,
    rows: (tx) => tx.apiKeys,
  });

  const issue = (
    context: RequestContext,
    at: number,
    put: (tx: Repositories) => Promise<IssuedApiKey>,
    changeOf: (issued: IssuedApiKey, tx: Repositories) => RulesChange | null | Promise<RulesChange | null>,
  ) =>
    commit(context, async (tx) => {
      const issued = await put(tx);
      const { record, ...secrets } = issued;
      const result = { ...secrets, record: view(record, at) };
      const commitment = await enrolment(tx, record, issued.signingKeyId);
      return { result, target: record.keyId, change: await changeOf(issued, tx), commitment };
    });

  return {
    get,
    revoke,

    async create(request: CredentialRequest, context: RequestContext) {
      const at = clock();
      const key = { ...(await granted(request, context, at)), createdBy: context.credential.id };
      return issue(context, at, draftApiKey(deps, key, request.publicKey, at).store, (issued) =>
        made(issued.record, broughtKey(issued), at),
      );
    },

    async page(
      { active, ...filter }: { name?: string; role?: Role; active?: boolean },
      page: PageRequest,
      { accountId }: RequestContext,
    ) {
      const at = clock();
      const stands = active === undefined ? {} : { active: { is: active, at } };
      return pageOf(await store.read.apiKeys.page(accountId, { ...filter, ...stands }, page), at);
    },

    /** Administrators rotate any key that they could have made; every key may rotate itself, within its own expiry. */
    async rotate(keyId: string, request: Omit<Rotation, 'createdBy' | 'voice'>, context: RequestContext) {
      const at = clock();
      const old = await find(keyId, context);
      assertToCome(request.expiresAt, at);
      const kept = { ...old, requireSignature: old.requireSignature || signaturePolicy === 'required' };
      assertMayRotate(context.credential, kept, request);
      const { id: createdBy, countsAs } = context.credential;
      // A key that rotates itself goes on as whom it was.
      const voice = createdBy === keyId ? {} : { voice: countsAs ?? createdBy };
      const put = draftSuccessor(deps, kept, { ...request, createdBy, ...voice }, at);
      const asker = { id: keyId, credential: context.credential };
      return issue(context, at, put, (issued, tx) =>
        takenOver(tx, old, issued.record, { ...asker, keyId: broughtKey(issued) }, at),
      );
    },
  };
}

export type ApiKeyManagement = ReturnType<typeof createApiKeyManagement>;

/** The successor's secrets are answered: whoever gets them has all that the key has, or is the key. */
function assertMayRotate(
  by: Credential,
  old: ApiKeyRecord,
  { expiresAt = old.expiresAt }: { readonly expiresAt?: number | null },
): void {
  const itself = by.kind === 'api_key' && by.id === old.keyId;
  if (!itself) {
    if (by.role !== 'admin') {
      throw new DomainError('forbidden', 'this needs the role admin: other credentials rotate only themselves');
    }
    assertMayChange(by, old);
  }
  // A budget goes on with the line.
  assertMayGive(itself ? { ...by, budgeted: false } : by, { ...old, expiresAt });
}

/** Of a pair that is made here the key is another each time that it is made. */
const broughtKey = ({ privateJwk, signingKeyId }: IssuedApiKey): string | null =>
  privateJwk === null ? signingKeyId : null;
