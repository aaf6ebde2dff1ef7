import type { Migration } from './dialect.ts';

export const notificationTemplates: Migration = {
  version: 42,
  name: 'notification templates',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE notification_templates (
      template_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      name ${text} NOT NULL,
      subject ${text} NOT NULL,
      body ${text} NOT NULL,
      placeholders ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX notification_templates_by_account ON notification_templates (account_id, created_at, template_id)',
    'CREATE UNIQUE INDEX notification_templates_by_name ON notification_templates (account_id, name)',
  ],
};
