import type { Migration } from './dialect.ts';

/** What the compliance status is made of: how far each audit log was verified, since when each check stands, when wallets were backed up. */
export const complianceChecks: Migration = {
  version: 60,
  name: 'compliance checks',
  statements: ({ text, integer, bytes, table, clustered }) => [
    `CREATE TABLE audit_walks (
      log_id ${text} NOT NULL PRIMARY KEY,
      size ${integer} NOT NULL CHECK (size >= 0),
      last_hash ${bytes} NOT NULL CHECK (length(last_hash) = 32),
      subtrees ${bytes} NOT NULL,
      began_at ${integer} NOT NULL,
      verified_size ${integer} NOT NULL CHECK (verified_size >= 0),
      verified_at ${integer},
      problem ${text},
      problem_position ${integer},
      problem_at ${integer},
      CHECK ((problem IS NULL) = (problem_at IS NULL))
    ) ${table}`,
    'CREATE INDEX audit_walks_wrong ON audit_walks (log_id) WHERE problem_at IS NOT NULL',
    `CREATE TABLE compliance_checks (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      check_id ${text} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('pass', 'warn', 'fail', 'unknown')),
      since ${integer} NOT NULL,
      PRIMARY KEY (account_id, check_id)
    ) ${clustered}`,
    `CREATE INDEX api_keys_standing ON api_keys (account_id, created_at, expires_at, key_id)
      WHERE revoked_at IS NULL AND rotated_to IS NULL`,
    `CREATE INDEX oauth_clients_standing
      ON oauth_clients (account_id, coalesce(previous_secret_until, created_at), expires_at, client_id) WHERE revoked_at IS NULL`,
    'CREATE INDEX signing_keys_standing ON signing_keys (account_id, created_at, key_id) WHERE revoked_at IS NULL',
    `CREATE INDEX users_without_totp ON users (account_id, role, user_id)
      WHERE totp_confirmed_at IS NULL AND password_hash IS NOT NULL AND disabled_at IS NULL AND deleted_at IS NULL`,
    // 0: never.
    `ALTER TABLE wallets ADD COLUMN backed_up_at ${integer} NOT NULL DEFAULT 0`,
    "UPDATE wallets SET backed_up_at = created_at WHERE backup_type <> 'none'",
    `UPDATE wallets SET backed_up_at = made.at FROM
      (SELECT target, max(time) AS at FROM audit_records WHERE operation = 'wallet.backup' AND outcome = 'done' GROUP BY target) AS made
      WHERE made.target = wallets.wallet_id`,
    `CREATE INDEX wallets_by_backup ON wallets (account_id, backed_up_at, wallet_id)
      WHERE secret IS NOT NULL AND archived_at IS NULL`,
  ],
};
