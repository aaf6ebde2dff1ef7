import type { Migration } from './dialect.ts';

/** What was sent until now keeps its `webhook-id`, which came of the number alone (services/webhooks/webhook-messages.ts). */
export const idsOfDeliveries: Migration = {
  version: 46,
  name: 'ids of deliveries until now',
  statements: () => [
    `INSERT INTO settings (name, value)
      SELECT 'webhooks.old_ids_until', cast(seq AS text) FROM events WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1`,
  ],
};
