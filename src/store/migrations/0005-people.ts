import type { ColumnTypes, Migration } from './dialect.ts';

export const people: Migration = {
  version: 5,
  name: 'people',
  statements: (types) => [...users(types), ...sessions(types), ...logins(types)],
};

function users({ text, integer, table, clustered }: ColumnTypes): string[] {
  return [
    `CREATE TABLE users (
      user_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      username ${text} NOT NULL,
      email ${text},
      name ${text},
      role ${text} NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
      scopes ${text} NOT NULL,
      tier ${text} NOT NULL CHECK (tier IN ('free', 'standard', 'pro', 'enterprise', 'custom')),
      password_hash ${text},
      password_changed_at ${integer},
      totp_secret ${text},
      totp_confirmed_at ${integer},
      totp_last_step ${integer} NOT NULL,
      disabled_at ${integer},
      deleted_at ${integer},
      last_login_at ${integer},
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX users_by_account ON users (account_id, created_at, user_id)',
    `CREATE TABLE login_names (
      name ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (user_id)
    ) ${clustered}`,
    'CREATE INDEX login_names_by_user ON login_names (user_id)',
    `CREATE TABLE recovery_codes (
      account_id ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (user_id),
      digest ${text} NOT NULL,
      used_at ${integer},
      PRIMARY KEY (user_id, digest)
    ) ${clustered}`,
  ];
}

function sessions({ text, integer, table, clustered }: ColumnTypes): string[] {
  return [
    `CREATE TABLE sessions (
      session_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (user_id),
      method ${text} NOT NULL CHECK (method IN ('password', 'reset', 'sso')),
      bound_key_id ${text},
      remote_address ${text} NOT NULL,
      address_class ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      last_used_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      ended_at ${integer},
      end_reason ${text}
    ) ${table}`,
    'CREATE INDEX sessions_by_user ON sessions (user_id, created_at, session_id)',
    'CREATE INDEX sessions_by_expiry ON sessions (expires_at)',
    `CREATE TABLE refresh_tokens (
      digest ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL,
      session_id ${text} NOT NULL REFERENCES sessions (session_id),
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      spent_at ${integer},
      successor ${text}
    ) ${clustered}`,
    'CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id)',
    'CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at)',
  ];
}

function logins({ text, integer, clustered }: ColumnTypes): string[] {
  return [
    `CREATE TABLE password_resets (
      digest ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (user_id),
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      used_at ${integer}
    ) ${clustered}`,
    'CREATE INDEX password_resets_by_user ON password_resets (user_id)',
    `CREATE TABLE login_failures (
      key ${text} NOT NULL PRIMARY KEY,
      failures ${integer} NOT NULL CHECK (failures >= 0),
      last_failed_at ${integer} NOT NULL
    ) ${clustered}`,
    'CREATE INDEX login_failures_by_time ON login_failures (last_failed_at)',
    `CREATE TABLE sso_used_states (
      digest ${text} NOT NULL PRIMARY KEY,
      expires_at ${integer} NOT NULL
    ) ${clustered}`,
    'CREATE INDEX sso_used_states_by_expiry ON sso_used_states (expires_at)',
    `CREATE TABLE sso_identities (
      issuer ${text} NOT NULL,
      subject ${text} NOT NULL,
      account_id ${text} NOT NULL,
      user_id ${text} NOT NULL REFERENCES users (user_id),
      created_at ${integer} NOT NULL,
      PRIMARY KEY (issuer, subject)
    ) ${clustered}`,
    'CREATE UNIQUE INDEX sso_identities_by_user ON sso_identities (user_id, issuer)',
  ];
}
