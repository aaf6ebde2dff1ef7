/** API keys past any question of who may: verification, and what the first start and the command line do at the database itself. */
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { type RecordChange, recordsNothing } from '../audit/record-change.ts';
import { enrolment } from './enrolment.ts';
import { draftApiKey, draftSuccessor, type IssuedApiKey, type Rotation } from './issue-api-key.ts';
import { type NewApiKey, newApiKey } from './new-api-key.ts';
import type { SigningKeyService } from './signing-keys.ts';
import { type ApiKeyVerifier, createApiKeyVerifier } from './verify-api-key.ts';

export type { NewApiKey } from './new-api-key.ts';

export interface ApiKeyService extends ApiKeyVerifier {
  /** Without a key pair. The key itself is answered once and never again. Throws `not_found` for an unknown account. */
  create(key: NewApiKey): Promise<{ apiKey: string; record: ApiKeyRecord }>;
  /** With a key pair, or the public key that its owner has the private one of. */
  issue(key: NewApiKey, publicKey?: unknown): Promise<IssuedApiKey>;
  list(accountId: AccountId): Promise<ApiKeyRecord[]>;
  /** With its signing keys, at once in every process. Throws `not_found` for an unknown key and one that is revoked already. */
  revoke(accountId: AccountId, keyId: string): Promise<void>;
  /** Throws `not_found`, `state_conflict`. */
  rotate(accountId: AccountId, keyId: string, rotation: Rotation): Promise<IssuedApiKey>;
}

export interface ApiKeyDeps {
  store: Store;
  signingKeys: Pick<SigningKeyService, 'newPair' | 'enrol' | 'revokeAll'>;
  signaturePolicy: 'required' | 'per-key';
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  log: Pick<Logger, 'debug'>;
  /** For the command line: in the job of each change. Absent: nothing is recorded. */
  recordChange?: RecordChange;
}

export function createApiKeys(deps: ApiKeyDeps): ApiKeyService {
  const { store, signingKeys, randomBytes, clock, recordChange = recordsNothing } = deps;

  async function refuseUnknownAccount(accountId: AccountId): Promise<void> {
    if ((await store.read.accounts.find(accountId)) === null) {
      throw new DomainError('not_found', `there is no account ${accountId}`);
    }
  }

  return {
    ...createApiKeyVerifier(deps),
    async create(key) {
      await refuseUnknownAccount(key.accountId);
      const made = newApiKey(key, randomBytes, clock());
      await store.write(async (tx) => {
        await tx.apiKeys.insert(made.record);
        await recordChange(tx, { operation: 'api-key.create', accountId: key.accountId, target: made.record.keyId });
      });
      return made;
    },
    async issue(key, publicKey) {
      await refuseUnknownAccount(key.accountId);
      const draft = draftApiKey(deps, key, publicKey, clock());
      return store.write(async (tx) => {
        const issued = await draft.store(tx);
        await recordChange(tx, { operation: 'api-key.create', accountId: key.accountId, target: issued.record.keyId });
        return issued;
      });
    },
    list: (accountId) => store.read.apiKeys.list(accountId),
    async revoke(accountId, keyId) {
      await store.write(async (tx) => {
        if (!(await tx.apiKeys.revoke(accountId, keyId, clock()))) {
          throw new DomainError('not_found', `there is no API key ${keyId} to revoke`);
        }
        await signingKeys.revokeAll(tx, { accountId, kind: 'api_key', id: keyId });
        await recordChange(tx, { operation: 'api-key.revoke', accountId, target: keyId });
      });
    },
    async rotate(accountId, keyId, rotation) {
      const old = await store.read.apiKeys.find(accountId, keyId);
      if (old === null) throw new DomainError('not_found', `there is no API key ${keyId}`);
      const commit = draftSuccessor(deps, old, rotation, clock());
      return store.write(async (tx) => {
        const issued = await commit(tx);
        const { keyId: target } = issued.record;
        const commitment = await enrolment(tx, issued.record, issued.signingKeyId);
        await recordChange(tx, { operation: 'api-key.rotate', accountId, target, commitment });
        return issued;
      });
    },
  };
}
