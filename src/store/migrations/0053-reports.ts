import type { Migration } from './dialect.ts';

/** Reports, and what they say: pieces of a file, encrypted, which any replica reads. */
export const reports: Migration = {
  version: 53,
  name: 'reports',
  statements: (types) => [
    `CREATE TABLE reports (
      report_id ${types.text} NOT NULL PRIMARY KEY,
      account_id ${types.text} NOT NULL REFERENCES accounts (account_id),
      kind ${types.text} NOT NULL CHECK (kind IN ('analytics', 'compliance')),
      type ${types.text} NOT NULL,
      format ${types.text} NOT NULL CHECK (format IN ('json', 'csv', 'xlsx', 'pdf')),
      asked ${types.text} NOT NULL,
      input ${types.text},
      maker_kind ${types.text} NOT NULL,
      maker_id ${types.text} NOT NULL,
      maker_role ${types.text} NOT NULL,
      maker_scopes ${types.text} NOT NULL,
      status ${types.text} NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled', 'expired')),
      reason ${types.text},
      begun ${types.integer} NOT NULL,
      row_count ${types.integer} NOT NULL,
      passed ${types.integer} NOT NULL,
      to_pass ${types.integer},
      size ${types.integer} NOT NULL,
      stored ${types.integer} NOT NULL,
      sha256 ${types.text},
      created_at ${types.integer} NOT NULL,
      progressed_at ${types.integer} NOT NULL,
      closed_at ${types.integer},
      CHECK ((status IN ('queued', 'running')) = (closed_at IS NULL)),
      UNIQUE (report_id, account_id)
    ) ${types.table}`,
    'CREATE INDEX reports_by_account ON reports (account_id, kind, created_at, report_id)',
    'CREATE INDEX reports_open ON reports (account_id, created_at, report_id) WHERE closed_at IS NULL',
    'CREATE INDEX reports_closed ON reports (closed_at) WHERE closed_at IS NOT NULL',
    'CREATE INDEX reports_stored ON reports (closed_at) WHERE stored > 0',
    `CREATE TABLE report_pieces (
      report_id ${types.text} NOT NULL,
      account_id ${types.text} NOT NULL,
      place ${types.integer} NOT NULL,
      content ${types.bytes} NOT NULL,
      PRIMARY KEY (report_id, place),
      FOREIGN KEY (report_id, account_id) REFERENCES reports (report_id, account_id)
    ) ${types.table}`,
  ],
};
