import type { Migration } from './dialect.ts';

export const notificationRules: Migration = {
  version: 41,
  name: 'notification rules',
  statements: ({ text, integer, table }) => [
    `CREATE TABLE notification_rules (
      rule_id ${text} NOT NULL PRIMARY KEY,
      account_id ${text} NOT NULL REFERENCES accounts (account_id),
      description ${text},
      events ${text} NOT NULL,
      channel ${text} NOT NULL,
      target ${text} NOT NULL,
      amount_over_sats ${integer},
      wallets ${text},
      digest ${text} NOT NULL CHECK (digest IN ('at_once', 'hourly', 'daily')),
      timezone ${text} NOT NULL,
      enabled ${integer} NOT NULL CHECK (enabled IN (0, 1)),
      reads_blocks ${integer} NOT NULL CHECK (reads_blocks IN (0, 1)),
      maker_kind ${text} NOT NULL,
      maker_id ${text} NOT NULL,
      maker_role ${text} NOT NULL,
      maker_scopes ${text} NOT NULL,
      disabled_reason ${text},
      told_seq ${integer} NOT NULL CHECK (told_seq >= 0),
      gathered ${integer} NOT NULL CHECK (gathered >= 0),
      lines ${text} NOT NULL,
      next_at ${integer},
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    ) ${table}`,
    'CREATE INDEX notification_rules_by_account ON notification_rules (account_id, created_at, rule_id)',
    'CREATE INDEX notification_rules_due ON notification_rules (next_at) WHERE enabled = 1 AND next_at IS NOT NULL',
    'CREATE INDEX notification_rules_of_blocks ON notification_rules (rule_id) WHERE enabled = 1 AND reads_blocks = 1',
  ],
};
