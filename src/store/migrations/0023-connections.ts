import type { Migration } from './dialect.ts';

export const connections: Migration = {
  version: 23,
  name: 'outgoing connections',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE connections (
      connection_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      type ${text} NOT NULL CHECK (type IN ('siem', 'archive')),
      enabled ${integer} NOT NULL CHECK (enabled IN (0, 1)),
      settings ${text} NOT NULL,
      secret ${text},
      log_id ${text} NOT NULL,
      maker_kind ${text} NOT NULL,
      maker_id ${text} NOT NULL,
      stopped_reason ${text},
      position ${integer} NOT NULL CHECK (position >= 0),
      segment_end ${integer} CHECK (segment_end > position),
      failures ${integer} NOT NULL CHECK (failures >= 0),
      last_error ${text},
      last_error_at ${integer},
      last_delivered_at ${integer},
      locked_until ${integer},
      next_at ${integer} NOT NULL,
      revision ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX connections_by_account ON connections (account_id, created_at, connection_id)',
    `CREATE INDEX connections_due ON connections (next_at) WHERE enabled = 1 AND stopped_reason IS NULL`,
  ],
};
