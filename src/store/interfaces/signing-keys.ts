import type { PublicJwk, SignatureAlgorithm } from '../../core/request-signatures/signing-algorithm.ts';
import type { Page, PageRequest } from '../records.ts';

/** What a key is enrolled for. */
export interface KeyOwner {
  readonly accountId: string;
  readonly kind: 'api_key' | 'oauth_client' | 'person';
  /** key_…, a client id, usr_… */
  readonly id: string;
}

export interface SigningKeyRecord {
  /** RFC 7638 SHA-256 thumbprint, base64url. Enrolled once, ever, in the whole service. */
  keyId: string;
  accountId: string;
  credentialKind: KeyOwner['kind'];
  credentialId: string;
  name: string;
  algorithm: SignatureAlgorithm;
  publicJwk: PublicJwk;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

export interface SigningKeyRepository {
  /** False where the key is enrolled already, in whichever account. */
  insert(key: SigningKeyRecord): Promise<boolean>;
  find(accountId: string, keyId: string): Promise<SigningKeyRecord | null>;
  /** Whatever the account: this is how a signer's account becomes known. Revoked ones too. */
  findByKeyId(keyId: string): Promise<SigningKeyRecord | null>;
  /** Newest first. */
  page(
    accountId: string,
    filter: { owner?: Pick<KeyOwner, 'kind' | 'id'>; revoked?: boolean },
    page: PageRequest,
  ): Promise<Page<SigningKeyRecord>>;
  /** How many of a credential's keys are not revoked. */
  countStanding(owner: KeyOwner): Promise<number>;
  /** Every process forgets the key. False where it is not the account's or is revoked already. */
  revoke(accountId: string, keyId: string, at: number): Promise<boolean>;
  /** All of a credential's; answers how many. */
  revokeAll(owner: KeyOwner, at: number): Promise<number>;
  touch(accountId: string, keyId: string, at: number): Promise<void>;
}

/** A nonce that was used under a key, and for which request. */
export interface SpentNonce {
  readonly keyId: string;
  readonly nonce: string;
  /** Keyed digest of the request, hex. */
  readonly fingerprint: string;
  /** From then on the signature is too old anyway. */
  readonly expiresAt: number;
}

export interface SignatureNonceRepository {
  /** The fingerprint of the request that spent it; null where it is free. */
  find(keyId: string, nonce: string): Promise<string | null>;
  /** spent: it was free. resent: this very request spent it before. taken: another did; nothing is written. */
  spend(spent: SpentNonce): Promise<'spent' | 'resent' | 'taken'>;
  deleteExpired(now: number): Promise<number>;
}
