import type { Migration } from './dialect.ts';

export const oauth: Migration = {
  version: 4,
  name: 'access tokens and their clients',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE token_keys (
      generation ${integer} NOT NULL PRIMARY KEY CHECK (generation > 0),
      key_id ${text} NOT NULL UNIQUE,
      public_jwk ${text} NOT NULL,
      sealed_private_key ${text},
      signs_from ${integer} NOT NULL,
      revoked_at ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
    `CREATE TABLE oauth_clients (
      client_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      role ${text} NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
      scopes ${text} NOT NULL,
      tier ${text} NOT NULL CHECK (tier IN ('free', 'standard', 'pro', 'enterprise', 'custom')),
      limits ${text},
      allowed_ips ${text},
      require_signature ${integer} NOT NULL CHECK (require_signature IN (0, 1)),
      secret_hash ${text} NOT NULL CHECK (length(secret_hash) = 64),
      previous_secret_hash ${text},
      previous_secret_until ${integer},
      expires_at ${integer},
      revoked_at ${integer},
      last_used_at ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX oauth_clients_by_account ON oauth_clients (account_id, created_at, client_id)',
    `CREATE TABLE revoked_tokens (
      token_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      expires_at ${integer} NOT NULL
    ) ${clustered}`,
    'CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at)',
  ],
};
