import type { Migration } from './dialect.ts';

export const devices: Migration = {
  version: 40,
  name: 'devices',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE devices (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      subject ${text} NOT NULL,
      device_id ${text} NOT NULL,
      name ${text},
      maker_kind ${text} NOT NULL,
      maker_id ${text} NOT NULL,
      maker_role ${text} NOT NULL,
      maker_scopes ${text} NOT NULL,
      session_id ${text},
      synced_seq ${integer},
      push_subscription ${text},
      last_synced_at ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      revoked_at ${integer},
      PRIMARY KEY (account_id, subject, device_id)
    ) ${table}`,
    'CREATE INDEX devices_by_subject ON devices (account_id, subject, created_at, device_id) WHERE revoked_at IS NULL',
  ],
};
