import type { Migration } from './dialect.ts';

export const rights: Migration = {
  version: 12,
  name: 'rights',
  statements: ({ text, integer }) => [
    ...['api_keys', 'oauth_clients', 'users'].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN may_grant ${integer} NOT NULL DEFAULT 0 CHECK (may_grant IN (0, 1))`,
    ),
    // The key that an account began with, and its successors: the key of the first start, or the one made together with the account.
    `UPDATE api_keys SET may_grant = 1 WHERE key_id IN (
      WITH RECURSIVE line (key_id, account_id) AS (
        SELECT api_keys.key_id, api_keys.account_id FROM api_keys
          JOIN accounts ON accounts.account_id = api_keys.account_id
          WHERE api_keys.role = 'admin' AND api_keys.scopes = '["*"]' AND (
            (api_keys.name = 'first key' AND api_keys.created_at = accounts.created_at)
            OR EXISTS (SELECT 1 FROM settings WHERE settings.name = 'first_start.key'
              AND settings.value = api_keys.account_id || ' ' || api_keys.key_id))
        UNION
        SELECT successor.key_id, successor.account_id FROM line
          JOIN api_keys AS former ON former.key_id = line.key_id
          JOIN api_keys AS successor ON successor.key_id = former.rotated_to AND successor.account_id = line.account_id)
      SELECT key_id FROM line)`,
    `ALTER TABLE users ADD COLUMN expires_at ${integer}`,
    `ALTER TABLE users ADD COLUMN allowed_ips ${text}`,
    // NULL: who set what these people log in with is not known, and more than they have now they never had.
    `ALTER TABLE users ADD COLUMN had_rights ${text}`,
    `ALTER TABLE users ADD COLUMN set_by_rights ${text}`,
  ],
};
