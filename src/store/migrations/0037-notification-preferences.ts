import type { Migration } from './dialect.ts';

export const notificationPreferences: Migration = {
  version: 37,
  name: 'notification preferences',
  statements: ({ text, integer, clustered }) => [
    `CREATE TABLE notification_preferences (
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      subject ${text} NOT NULL,
      version ${integer} NOT NULL CHECK (version >= 0),
      channels ${text} NOT NULL,
      quiet_hours ${text},
      currency ${text} NOT NULL,
      updated_at ${integer} NOT NULL,
      PRIMARY KEY (account_id, subject)
    ) ${clustered}`,
  ],
};
