import type { PublicJwk, SignatureAlgorithm } from '../../core/request-signatures/signing-algorithm.ts';
import { json, orNull, type RecordOf, type RowOf, table, text, time } from './columns.ts';

/** What a key is enrolled for. */
export interface KeyOwner {
  readonly accountId: string;
  readonly kind: 'api_key' | 'oauth_client' | 'person';
  /** key_…, a client id, usr_… */
  readonly id: string;
}

export const signingKeys = table('signing_keys', ['keyId'], {
  /** RFC 7638 SHA-256 thumbprint, base64url. Enrolled once, ever, in the whole service. */
  keyId: text(),
  accountId: text(),
  credentialKind: text<KeyOwner['kind']>(),
  credentialId: text(),
  name: text(),
  algorithm: text<SignatureAlgorithm>(),
  publicJwk: json<PublicJwk>(),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});
export type SigningKeyRecord = RecordOf<typeof signingKeys>;

export const signatureNonces = table('signature_nonces', ['keyId', 'nonce'], {
  keyId: text(),
  nonce: text(),
  /** Keyed digest of the request, hex. */
  fingerprint: text(),
  /** From then on the signature is too old anyway. */
  expiresAt: time,
});
/** A nonce that was used under a key, and for which request. */
export type SpentNonce = RecordOf<typeof signatureNonces>;

/** Keys that sign requests, and the nonces that they have used. */
export interface SigningKeyTables {
  signing_keys: RowOf<typeof signingKeys>;
  signature_nonces: RowOf<typeof signatureNonces>;
}
