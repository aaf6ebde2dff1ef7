import type { PublicJwk, SignatureAlgorithm } from '../../core/request-signatures/signing-algorithm.ts';

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

/** A nonce that was used under a key, and for which request. */
export interface SpentNonce {
  readonly keyId: string;
  readonly nonce: string;
  /** Keyed digest of the request, hex. */
  readonly fingerprint: string;
  /** From then on the signature is too old anyway. */
  readonly expiresAt: number;
}
