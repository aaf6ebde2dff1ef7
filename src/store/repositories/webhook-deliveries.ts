import type { EventType } from '../../core/events/event-types.ts';
import type { AccountId } from '../../core/ids.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time, whole } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { WebhookKey } from './webhooks.ts';

const deliveriesTable = table('webhook_deliveries', ['deliveryId'], {
  /** `msg_…`, which receivers get as `webhook-id`. */
  deliveryId: text(),
  webhookId: text(),
  accountId: text<AccountId>(),
  seq: whole,
  type: text<EventType>(),
  /** Of the last attempt, like the following columns. */
  status: text<'delivered' | 'failed'>(),
  attempts: integer,
  /** null: no response. */
  httpStatus: orNull(integer),
  latencyMs: integer,
  error: orNull(text()),
  /** The first 4 KiB of the response. */
  answer: orNull(text()),
  attemptedAt: time,
  /** Unordered webhooks: when a failed delivery is retried. */
  nextAt: orNull(time),
  createdAt: time,
});
export type WebhookDelivery = RecordOf<typeof deliveriesTable>;

declare module '../schema.ts' {
  interface Schema {
    webhook_deliveries: RowOf<typeof deliveriesTable>;
  }
}

const deliveries = rowsOf(
  deliveriesTable,
  `on conflict (delivery_id) do update set attempts = webhook_deliveries.attempts + excluded.attempts,
    ${['status', 'http_status', 'latency_ms', 'error', 'answer', 'attempted_at', 'next_at']
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}`,
);
const bringForward = prepared((db, p: { now: bigint }) =>
  db.updateTable('webhook_deliveries').set({ next_at: p.now }).where('next_at', '>', p.now),
);
const dropOld = prepared((db, p: WebhookKey & { keep: bigint }) => {
  const ofWebhook = db
    .selectFrom('webhook_deliveries')
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.webhookId);
  const newest = ofWebhook.select('created_at').orderBy('created_at', 'desc').orderBy('delivery_id', 'desc');
  return db
    .deleteFrom('webhook_deliveries')
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.webhookId)
    .where('next_at', 'is', null)
    .where('created_at', '<', newest.limit(1n).offset(p.keep));
});
const deleteEnded = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .deleteFrom('webhook_deliveries')
    .where('delivery_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('delivery_id')
        .where('next_at', 'is', null)
        .where('created_at', '<', p.before)
        .orderBy('created_at')
        .limit(p.limit),
    ),
);

export function webhookDeliveryRepository(session: Session) {
  return {
    /** Adds an attempt to deliveries that exist. */
    note: async (attempts: readonly WebhookDelivery[]) => {
      await deliveries.insert(session, attempts);
    },
    find: ({ accountId, webhookId }: WebhookKey, deliveryId: string) =>
      deliveries.find(session, { accountId, webhookId, deliveryId }),
    /** Newest first, of these types. */
    list: (
      { accountId, webhookId }: WebhookKey,
      { status, types }: { status?: WebhookDelivery['status'] | undefined; types?: readonly EventType[] | undefined },
      page: PageRequest,
    ) => {
      const where = { accountId, webhookId, status };
      return deliveries.page(
        session,
        { name: 'webhook-deliveries', where, and: (is) => [types && is('type', 'in', types)] },
        page,
      );
    },
    /** Failed ones that are to be retried, the soonest first. */
    waiting: ({ accountId, webhookId }: WebhookKey, limit: number) =>
      deliveries.all(
        session,
        { accountId, webhookId },
        `and next_at is not null order by next_at limit ${Math.trunc(limit)}`,
      ),
    /** Of all accounts: makes all retries due now. */
    bringForward: (now: number) => bringForward.run(session, { now: BigInt(now) }),
    /** Deletes all but the newest of those without a retry. */
    dropOld: (webhook: WebhookKey, keep: number) => dropOld.run(session, { ...webhook, keep: BigInt(keep) }),
    /** Of every webhook: those from before this time without a retry, at most `limit`; answers how many. */
    deleteEnded: async (before: number, limit: number) =>
      Number(await deleteEnded.run(session, { before: BigInt(before), limit: BigInt(limit) })),
    deleteOf: ({ accountId, webhookId }: WebhookKey) => deliveries.delete(session, { accountId, webhookId }),
  };
}
