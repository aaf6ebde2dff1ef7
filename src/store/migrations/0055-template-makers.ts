import type { Migration } from './dialect.ts';

/** Keys that rotations made, with the key that these began with, whose list they read (services/notifications/inbox.ts). */
const WITH_LINE = `WITH RECURSIVE line (account_id, key_id, first) AS (
    SELECT account_id, rotated_to, key_id FROM api_keys WHERE rotated_to IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM api_keys before WHERE before.account_id = api_keys.account_id AND before.rotated_to = api_keys.key_id)
    UNION
    SELECT next.account_id, next.rotated_to, line.first FROM line
      JOIN api_keys next ON next.account_id = line.account_id AND next.key_id = line.key_id WHERE next.rotated_to IS NOT NULL
  )`;
const targetOf = (id: string): string => `'{"kind":"subject","id":"' || ${id} || '"}'`;

/** Of templates made before nobody knows the maker: only administrators change them. */
export const templateMakers: Migration = {
  version: 55,
  name: 'makers of templates, lists of rotated keys, deliveries to bring forward',
  statements: ({ text }) => [
    ...['maker_kind', 'maker_id', 'maker_role', 'maker_scopes'].map(
      (column) => `ALTER TABLE notification_templates ADD COLUMN ${column} ${text}`,
    ),
    // What waits for the time that it was sent for is not among them.
    `CREATE INDEX notification_deliveries_again ON notification_deliveries (account_id, queue, next_at)
      WHERE next_at IS NOT NULL AND (not_before IS NULL OR next_at > not_before)`,
    `${WITH_LINE} UPDATE notification_deliveries SET recipient =
        (SELECT first FROM line WHERE line.account_id = notification_deliveries.account_id AND line.key_id = recipient)
      WHERE channel = 'in_app' AND status = 'delivered' AND (account_id, recipient) IN (SELECT account_id, key_id FROM line)
        AND NOT EXISTS (SELECT 1 FROM notification_deliveries other JOIN line ON line.first = other.recipient
          WHERE other.notification_id = notification_deliveries.notification_id AND line.key_id = notification_deliveries.recipient)`,
    `${WITH_LINE} UPDATE notification_rules SET target =
        (SELECT ${targetOf('first')} FROM line WHERE line.account_id = notification_rules.account_id AND ${targetOf('key_id')} = target)
      WHERE channel = 'in_app' AND (account_id, target) IN (SELECT account_id, ${targetOf('key_id')} FROM line)`,
  ],
};
