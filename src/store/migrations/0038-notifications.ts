import type { Migration } from './dialect.ts';

export const notifications: Migration = {
  version: 38,
  name: 'notifications',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE notifications (
      notification_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      channel ${text} NOT NULL,
      target ${text} NOT NULL,
      maker_kind ${text} NOT NULL,
      maker_id ${text} NOT NULL,
      external_id ${text},
      template_id ${text},
      subject ${text} NOT NULL,
      body ${text} NOT NULL,
      html ${text} NOT NULL,
      data ${text},
      send_at ${integer},
      waiting ${integer} NOT NULL CHECK (waiting >= 0),
      delivered ${integer} NOT NULL CHECK (delivered >= 0),
      failed ${integer} NOT NULL CHECK (failed >= 0),
      cancelled_at ${integer},
      created_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX notifications_by_account ON notifications (account_id, created_at, notification_id)',
    'CREATE UNIQUE INDEX notifications_by_external_id ON notifications (account_id, external_id) WHERE external_id IS NOT NULL',
    'CREATE INDEX notifications_by_age ON notifications (created_at)',
    `CREATE TABLE notification_deliveries (
      notification_id ${text} NOT NULL REFERENCES notifications (notification_id),
      recipient ${text} NOT NULL,
      account_id ${text} NOT NULL,
      channel ${text} NOT NULL,
      queue ${text} NOT NULL,
      status ${text} NOT NULL CHECK (status IN ('queued', 'delivered', 'failed', 'cancelled')),
      attempts ${integer} NOT NULL,
      not_before ${integer},
      next_at ${integer},
      begun_at ${integer},
      failing_since ${integer},
      code ${text},
      error ${text},
      delivered_at ${integer},
      read_at ${integer},
      day ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      PRIMARY KEY (notification_id, recipient)
    ) ${table}`,
    'CREATE INDEX notification_deliveries_waiting ON notification_deliveries (queue, next_at) WHERE next_at IS NOT NULL',
    'CREATE INDEX notification_deliveries_by_day ON notification_deliveries (account_id, day, channel, status)',
    `CREATE INDEX notification_deliveries_inbox ON notification_deliveries (account_id, recipient, created_at, notification_id)
      WHERE channel = 'in_app' AND status = 'delivered'`,
    `CREATE INDEX notification_deliveries_unread ON notification_deliveries (account_id, recipient)
      WHERE channel = 'in_app' AND status = 'delivered' AND read_at IS NULL`,
  ],
};
