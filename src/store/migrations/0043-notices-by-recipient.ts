import type { Migration } from './dialect.ts';

/** Of other channels it has no entry. */
export const noticesByRecipient: Migration = {
  version: 43,
  name: 'events by recipient',
  statements: () => [
    `CREATE INDEX events_by_recipient ON events (account_id, ref, seq) WHERE channel = 'notifications' AND seq IS NOT NULL`,
  ],
};
