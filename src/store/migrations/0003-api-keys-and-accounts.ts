import type { ColumnTypes, Migration } from './dialect.ts';

export const apiKeysAndAccounts: Migration = {
  version: 3,
  name: 'api keys and accounts',
  statements: (types) => [...accounts(types), ...apiKeys(types)],
};

function accounts({ text, integer }: ColumnTypes): string[] {
  return [
    `ALTER TABLE accounts ADD COLUMN platform ${integer} NOT NULL DEFAULT 0 CHECK (platform IN (0, 1))`,
    `ALTER TABLE accounts ADD COLUMN tier ${text} NOT NULL DEFAULT 'standard'
      CHECK (tier IN ('free', 'standard', 'pro', 'enterprise', 'custom'))`,
    `ALTER TABLE accounts ADD COLUMN frozen_reason ${text}`,
    // The account of the first start; the oldest where others took its name.
    `UPDATE accounts SET platform = 1, tier = 'custom' WHERE account_id =
      (SELECT account_id FROM accounts WHERE name = 'default' ORDER BY created_at, account_id LIMIT 1)`,
    // What an account's keys were given before accounts had tiers, they keep.
    ...['pro', 'enterprise', 'custom'].map(
      (tier) => `UPDATE accounts SET tier = '${tier}' WHERE platform = 0
        AND EXISTS (SELECT 1 FROM api_keys WHERE api_keys.account_id = accounts.account_id AND api_keys.tier = '${tier}')`,
    ),
    'CREATE INDEX accounts_by_age ON accounts (created_at, account_id)',
  ];
}

function apiKeys({ text, integer }: ColumnTypes): string[] {
  return [
    `ALTER TABLE api_keys ADD COLUMN require_signature ${integer} NOT NULL DEFAULT 1 CHECK (require_signature IN (0, 1))`,
    `ALTER TABLE api_keys ADD COLUMN created_by ${text}`,
    `ALTER TABLE api_keys ADD COLUMN rotated_to ${text}`,
    `ALTER TABLE api_keys ADD COLUMN overlap_ends_at ${integer}`,
  ];
}
