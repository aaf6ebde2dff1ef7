import type { SigningKeyRecord, SpentNonce } from '../interfaces/signing-keys.ts';
import { json, orNull, type RowOf, table, text, time } from './columns.ts';

export const signingKeys = table<SigningKeyRecord>()('signing_keys', ['keyId'], {
  keyId: text(),
  accountId: text(),
  credentialKind: text<SigningKeyRecord['credentialKind']>(),
  credentialId: text(),
  name: text(),
  algorithm: text<SigningKeyRecord['algorithm']>(),
  publicJwk: json<SigningKeyRecord['publicJwk']>(),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});

export const signatureNonces = table<SpentNonce>()('signature_nonces', ['keyId', 'nonce'], {
  keyId: text(),
  nonce: text(),
  fingerprint: text(),
  expiresAt: time,
});

/** Keys that sign requests, and the nonces that they have used. */
export interface SigningKeyTables {
  signing_keys: RowOf<typeof signingKeys>;
  signature_nonces: RowOf<typeof signatureNonces>;
}
