import type { SigningKeyRecord } from '../interfaces/signing-keys.ts';
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

/** Keys that sign requests, and the nonces that they have used. */
export interface SigningKeyTables {
  signing_keys: RowOf<typeof signingKeys>;
  signature_nonces: { key_id: string; nonce: string; fingerprint: string; expires_at: bigint };
}
