import type { Migration } from './dialect.ts';

export const signingKeys: Migration = {
  version: 2,
  name: 'signing keys',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE signing_keys (
      key_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      credential_kind ${text} NOT NULL CHECK (credential_kind IN ('api_key', 'oauth_client', 'person')),
      credential_id ${text} NOT NULL,
      name ${text} NOT NULL,
      algorithm ${text} NOT NULL CHECK (algorithm IN ('ed25519', 'ecdsa-p256-sha256', 'ecdsa-secp256k1-sha256')),
      public_jwk ${text} NOT NULL,
      revoked_at ${integer},
      last_used_at ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX signing_keys_by_account ON signing_keys (account_id, created_at, key_id)',
    'CREATE INDEX signing_keys_by_credential ON signing_keys (account_id, credential_kind, credential_id)',
    `CREATE TABLE signature_nonces (
      key_id ${text} NOT NULL,
      nonce ${text} NOT NULL,
      fingerprint ${text} NOT NULL,
      expires_at ${integer} NOT NULL,
      PRIMARY KEY (key_id, nonce)
    ) ${clustered}`,
    'CREATE INDEX signature_nonces_by_expiry ON signature_nonces (expires_at)',
    // Until here a key's pair stood beside it, and was always Ed25519.
    `INSERT INTO signing_keys (key_id, account_id, credential_kind, credential_id, name, algorithm, public_jwk, revoked_at, created_at)
      SELECT jwk_thumbprint, account_id, 'api_key', key_id, name, 'ed25519', public_jwk, revoked_at, created_at FROM api_keys
      WHERE jwk_thumbprint IS NOT NULL AND public_jwk IS NOT NULL`,
    'ALTER TABLE api_keys DROP COLUMN public_jwk',
    'ALTER TABLE api_keys DROP COLUMN jwk_thumbprint',
  ],
};
