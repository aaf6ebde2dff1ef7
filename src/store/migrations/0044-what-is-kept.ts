import type { Migration } from './dialect.ts';

/** The sweeps find what has expired here; what waits is in none of these. */
export const whatIsKept: Migration = {
  version: 44,
  name: 'notifications, deliveries and devices expire',
  statements: () => [
    'DROP INDEX notifications_by_age',
    'CREATE INDEX notifications_ended ON notifications (created_at) WHERE waiting = 0',
    'CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (created_at) WHERE next_at IS NULL',
    'CREATE INDEX devices_revoked ON devices (revoked_at) WHERE revoked_at IS NOT NULL',
  ],
};
