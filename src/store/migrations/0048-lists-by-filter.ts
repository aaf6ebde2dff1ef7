import type { Migration } from './dialect.ts';

const READ = (condition: string): string =>
  `ON notification_deliveries (account_id, recipient, created_at, notification_id)
    WHERE channel = 'in_app' AND status = 'delivered' AND read_at ${condition}`;

/** Lists by what few rows have would pass all the others, and approvals their texts as well (as 0035). */
export const listsByFilter: Migration = {
  version: 48,
  name: 'lists by operation, channel and what is read',
  statements: () => [
    'CREATE INDEX approvals_by_operation ON approvals (account_id, operation, created_at, approval_id)',
    'CREATE INDEX approvals_by_operation_and_status ON approvals (account_id, operation, status, created_at, approval_id)',
    'CREATE INDEX notifications_by_channel ON notifications (account_id, channel, created_at, notification_id)',
    'DROP INDEX notification_deliveries_unread',
    `CREATE INDEX notification_deliveries_unread ${READ('IS NULL')}`,
    `CREATE INDEX notification_deliveries_read ${READ('IS NOT NULL')}`,
  ],
};
