import type { Migration } from './dialect.ts';

/** Keys made before count as the person who made them, along lines of keys that made keys; of clients nobody kept who made them. */
export const whomCredentialsCountAs: Migration = {
  version: 19,
  name: 'whom credentials count as',
  statements: ({ text }) => [
    ...['api_keys', 'oauth_clients'].map((table) => `ALTER TABLE ${table} ADD COLUMN counts_as ${text}`),
    // A successor counts as its predecessor does, whoever rotated it.
    `WITH RECURSIVE links (key_id, parent) AS (
        SELECT api_keys.key_id, coalesce(old.key_id, api_keys.created_by) FROM api_keys
          LEFT JOIN api_keys old ON old.rotated_to = api_keys.key_id
      ), line (key_id, user_id) AS (
        SELECT key_id, parent FROM links WHERE substr(parent, 1, 4) = 'usr_'
        UNION
        SELECT links.key_id, line.user_id FROM line JOIN links ON links.parent = line.key_id
      )
      UPDATE api_keys SET counts_as = (SELECT line.user_id FROM line WHERE line.key_id = api_keys.key_id)
        WHERE key_id IN (SELECT key_id FROM line)`,
    // Where that is nobody: as the first of the line.
    `WITH RECURSIVE line (key_id, first) AS (
        SELECT rotated_to, key_id FROM api_keys WHERE rotated_to IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM api_keys before WHERE before.rotated_to = api_keys.key_id)
        UNION
        SELECT next.rotated_to, line.first FROM line JOIN api_keys next ON next.key_id = line.key_id
          WHERE next.rotated_to IS NOT NULL
      )
      UPDATE api_keys SET counts_as = (SELECT line.first FROM line WHERE line.key_id = api_keys.key_id)
        WHERE counts_as IS NULL AND key_id IN (SELECT key_id FROM line)`,
  ],
};
