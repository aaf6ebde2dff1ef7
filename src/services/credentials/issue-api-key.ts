/** Making an API key with the key pair that signs for it, and a successor for one. */
import { DomainError } from '../../core/errors.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { Repositories } from '../../store/store.ts';
import { nameSuccessor } from '../policies/name-successor.ts';
import { isActive } from './credential-record.ts';
import { type NewApiKey, newApiKey } from './new-api-key.ts';
import { rightsOf } from './rights.ts';
import type { SigningKeyService } from './signing-keys.ts';

export const MAX_OVERLAP_SECONDS = 30 * 24 * 60 * 60;
export const USUAL_OVERLAP_SECONDS = 24 * 60 * 60;

/** What is answered once and never again. */
export interface IssuedApiKey {
  readonly record: ApiKeyRecord;
  readonly apiKey: string;
  /** RFC 7638 thumbprint of the key that signs: the keyid of the signatures. */
  readonly signingKeyId: string;
  /** null where the owner gave the public key: then only they have the private one. */
  readonly privateJwk: ReturnType<SigningKeyService['newPair']>['privateJwk'] | null;
}

export interface IssueDeps {
  readonly signingKeys: Pick<SigningKeyService, 'newPair' | 'enrol'>;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Makes key and pair; the answer stores them, in the job it is given. `publicKey` is a JWK as it came. */
export function draftApiKey({ signingKeys, randomBytes }: IssueDeps, key: NewApiKey, publicKey: unknown, at: number) {
  const { apiKey, record } = newApiKey(key, randomBytes, at);
  const pair = publicKey === undefined ? signingKeys.newPair() : null;
  const store = async (tx: Pick<Repositories, 'apiKeys' | 'signingKeys'>): Promise<IssuedApiKey> => {
    await tx.apiKeys.insert(record);
    const owner = { accountId: record.accountId, kind: 'api_key', id: record.keyId } as const;
    const enrolled = await signingKeys.enrol(tx, owner, {
      name: record.name,
      publicJwk: pair === null ? publicKey : pair.publicJwk,
    });
    return { record, apiKey, signingKeyId: enrolled.keyId, privateJwk: pair?.privateJwk ?? null };
  };
  return { record, store };
}

export interface Rotation {
  /** How long the old key works beside the new one. */
  readonly overlapSeconds: number;
  readonly publicKey?: unknown;
  /** The successor's; the old key's unless said. */
  readonly expiresAt?: number;
  readonly createdBy: string | null;
  /** Whose voice the successor is: who is given its secrets; the old key's unless said. */
  readonly voice?: string;
}

/**
 * Makes a key's successor, which may do what the key may. The answer stores both ends. Throws `state_conflict` for a key that is over or
 * has a successor: only the newest of a line is rotated, so that no line forks.
 */
export function draftSuccessor(deps: IssueDeps, old: ApiKeyRecord, rotation: Rotation, at: number) {
  refuseOver(old, at);
  const { name, accountId } = old;
  // A key of its own voice hands it on: else it could ask as one and approve as the next.
  const countsAs = rotation.voice ?? old.countsAs ?? old.keyId;
  const { overlapSeconds, publicKey, expiresAt = old.expiresAt, createdBy } = rotation;
  const draft = draftApiKey(deps, { name, accountId, countsAs, ...rightsOf(old), expiresAt, createdBy }, publicKey, at);
  return async (
    tx: Pick<Repositories, 'apiKeys' | 'signingKeys' | 'enterpriseConfig' | 'policies' | 'groups'>,
  ): Promise<IssuedApiKey> => {
    const successor = { keyId: draft.record.keyId, overlapEndsAt: at + overlapSeconds * 1000 };
    if (!(await tx.apiKeys.succeed(accountId, old.keyId, successor))) {
      throw new DomainError('state_conflict', `${old.keyId} was rotated or revoked meanwhile`);
    }
    await nameSuccessor(tx, { accountId, keyId: old.keyId, successor: successor.keyId, at });
    return draft.store(tx);
  };
}

function refuseOver(key: ApiKeyRecord, at: number): void {
  if (key.rotatedTo !== null) {
    throw new DomainError('state_conflict', `${key.keyId} was rotated already: rotate its successor ${key.rotatedTo}`);
  }
  if (!isActive(key, at)) {
    throw new DomainError('state_conflict', `${key.keyId} was revoked or has expired: make a new key`);
  }
}
