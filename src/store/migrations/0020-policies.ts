import type { Migration } from './dialect.ts';

/** Who changes rules or goes by them for good takes turns at the account's row of enterprise_config. */
export const policies: Migration = {
  version: 20,
  name: 'policies, groups and the enterprise config',
  statements: ({ text, integer, table, clustered }) => [
    `CREATE TABLE enterprise_config (
      account_id ${text} NOT NULL PRIMARY KEY REFERENCES accounts (account_id),
      version ${integer} NOT NULL CHECK (version >= 0),
      default_action ${text} NOT NULL CHECK (default_action IN ('allow', 'deny')),
      internal_wallets ${text} NOT NULL,
      address_book_delay_hours ${integer} NOT NULL CHECK (address_book_delay_hours >= 0),
      updated_at ${integer} NOT NULL
    ) ${clustered}`,
    `CREATE TABLE policies (
      policy_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      enabled ${integer} NOT NULL CHECK (enabled IN (0, 1)),
      position ${integer} NOT NULL CHECK (position > 0),
      conditions ${text} NOT NULL,
      decision ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX policies_by_account ON policies (account_id, position, policy_id)',
    `CREATE TABLE policy_groups (
      group_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      user_ids ${text} NOT NULL,
      api_key_ids ${text} NOT NULL,
      oauth_client_ids ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX policy_groups_by_account ON policy_groups (account_id, created_at, group_id)',
  ],
};
