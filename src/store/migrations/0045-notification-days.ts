import type { Migration } from './dialect.ts';

/** How many recipients an account has had on a day, by channel: whoever adds to them holds the row. `-1` is the day of what is not counted. */
export const notificationDays: Migration = {
  version: 45,
  name: 'recipients of notifications, counted by day',
  statements: ({ text, integer, clustered }) => [
    `CREATE TABLE notification_days (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      channel ${text} NOT NULL,
      day ${integer} NOT NULL,
      recipients ${integer} NOT NULL CHECK (recipients >= 0),
      PRIMARY KEY (account_id, channel, day)
    ) ${clustered}`,
    `INSERT INTO notification_days SELECT account_id, channel, day, count(*) FROM notification_deliveries
      WHERE day >= 0 GROUP BY account_id, channel, day`,
  ],
};
