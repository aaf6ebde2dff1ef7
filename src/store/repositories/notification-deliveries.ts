import { type Kysely, sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import type { DeliveryStatus, NotificationChannel } from '../../core/notifications/notification.ts';
import { integer, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import type { NotificationId, NotificationKey } from './notifications.ts';

const deliveriesTable = table(
  'notification_deliveries',
  ['notificationId', 'recipient'],
  {
    notificationId: text<NotificationId>(),
    /** A subject, an address, a webhook; a group whose members are not found yet. */
    recipient: text(),
    accountId: text<AccountId>(),
    channel: text<NotificationChannel>(),
    status: text<DeliveryStatus>(),
    attempts: integer,
    /** Not sent earlier; null: at once. */
    notBefore: orNull(time),
    /** While it is queued. */
    nextAt: orNull(time),
    /** An attempt is under way, or was when the process ended. */
    begunAt: orNull(time),
    failingSince: orNull(time),
    /** What the last attempt was answered: an SMTP reply, an HTTP status. */
    code: orNull(text()),
    error: orNull(text()),
    deliveredAt: orNull(time),
    readAt: orNull(time),
    /** Days since 1970 (UTC) on which it counts. */
    day: integer,
    createdAt: time,
  },
  {
    /** Of each webhook its own: one that hangs holds up no other. */
    queue: ({ accountId, channel, recipient }: Pick<WaitingQueue, 'accountId' | 'channel'> & { recipient: string }) =>
      channel === 'webhook' ? `${accountId} ${channel} ${recipient}` : `${accountId} ${channel}`,
  },
);
export type NotificationDelivery = RecordOf<typeof deliveriesTable>;
export type DeliveryKey = Pick<NotificationDelivery, 'accountId' | 'notificationId' | 'recipient'>;
export type DeliveryPatch = Partial<Omit<NotificationDelivery, keyof DeliveryKey | 'channel' | 'createdAt'>>;
/** Deliveries of an account and channel, of the same webhook, that wait. */
export interface WaitingQueue {
  readonly queue: string;
  readonly accountId: AccountId;
  readonly channel: NotificationChannel;
  readonly nextAt: number;
}

declare module '../schema.ts' {
  interface Schema {
    notification_deliveries: RowOf<typeof deliveriesTable>;
  }
}

const deliveries = rowsOf(deliveriesTable, 'on conflict do nothing');
/** One look into the index for each queue, however much waits in it. */
const queues = prepared((db, p: { after: string; limit: bigint }) => ({
  compile: () =>
    sql<{ queue: string; next_at: bigint }>`with recursive queues (queue) as (
      select min(queue) from notification_deliveries where next_at is not null and queue > ${p.after}
      union all
      select (select min(queue) from notification_deliveries where next_at is not null and queue > queues.queue)
        from queues where queues.queue is not null
    ) select queue, (select min(next_at) from notification_deliveries
        where next_at is not null and notification_deliveries.queue = queues.queue) as next_at
      from queues where queue is not null limit ${p.limit}`.compile(db),
}));
const due = prepared((db, p: { accountId: AccountId; queue: string; now: bigint; limit: bigint }) =>
  deliveries
    .select(db)
    .where(sql<boolean>`next_at is not null`)
    .where('queue', '=', p.queue)
    .where('account_id', '=', p.accountId)
    .where('next_at', '<=', p.now)
    .orderBy('next_at')
    .limit(p.limit),
);
/** Of those that wait for another try, not for the time that they were sent for: written as in the index. */
const bringForward = prepared(
  (db, p: { accountId: AccountId; queue: string; now: bigint; beyond: bigint; unanswered: bigint; limit: bigint }) => ({
    compile: () =>
      sql`update notification_deliveries set next_at = ${p.now} where (notification_id, recipient) in (
        select notification_id, recipient from notification_deliveries
          where next_at is not null and (not_before is null or next_at > not_before)
            and queue = ${p.queue} and account_id = ${p.accountId} and next_at > ${p.beyond}
            and (not_before is null or not_before <= ${p.now})
            and (${p.unanswered} = 0 or (failing_since is not null and code is null))
          order by next_at limit ${p.limit})`.compile(db),
  }),
);
/** In one look into the index. */
const waiting = prepared((db, p: { from: string; to: string; most: bigint }) => ({
  compile: () =>
    sql<{ count: bigint; next_at: bigint | null }>`select count(*) as count, min(next_at) as next_at from (
      select next_at from notification_deliveries where next_at is not null and queue >= ${p.from} and queue < ${p.to}
        order by queue, next_at limit ${p.most}) as first`.compile(db),
}));
const byStatus = prepared((db, p: { accountId: AccountId; day: bigint }) => ({
  compile: () =>
    sql<{
      channel: NotificationChannel;
      status: DeliveryStatus;
      count: bigint;
    }>`select channel, status, count(*) as count
      from notification_deliveries where account_id = ${p.accountId} and day = ${p.day} group by channel, status`.compile(
      db,
    ),
}));
const cancel = prepared((db, p: NotificationKey) =>
  db
    .updateTable('notification_deliveries')
    .set({ status: 'cancelled', next_at: null })
    .where('account_id', '=', p.accountId)
    .where('notification_id', '=', p.notificationId)
    .where('status', '=', 'queued')
    .where('begun_at', 'is', null),
);
const recipients = prepared((db, p: NotificationKey) =>
  db
    .selectFrom('notification_deliveries')
    .select('recipient')
    .where('account_id', '=', p.accountId)
    .where('notification_id', '=', p.notificationId),
);
const shownTo = prepared((db, p: NotificationKey) =>
  db
    .selectFrom('notification_deliveries')
    .select('recipient')
    .where('account_id', '=', p.accountId)
    .where('notification_id', '=', p.notificationId)
    .where('channel', '=', 'in_app')
    .where('status', '=', 'delivered'),
);
/** Written as in the indexes. */
const inbox = (db: Kysely<Schema>, p: { accountId: AccountId; recipient: string }) =>
  db
    .selectFrom('notification_deliveries')
    .where(sql<boolean>`channel = 'in_app' and status = 'delivered'`)
    .where('account_id', '=', p.accountId)
    .where('recipient', '=', p.recipient);
const unread = prepared((db, p: { accountId: AccountId; recipient: string; most: bigint }) =>
  db
    .selectFrom(inbox(db, p).where('read_at', 'is', null).select('created_at').limit(p.most).as('first'))
    .select((eb) => eb.fn.countAll<bigint>().as('count')),
);
/** Who has as many has not looked for years. */
const MOST_UNREAD = 10_000;

export function notificationDeliveryRepository(session: Session) {
  return {
    /** Those that are there already stay. Answers how many are new. */
    insert: async (rows: readonly NotificationDelivery[]) => Number(await deliveries.insert(session, rows)),
    find: (accountId: AccountId, notificationId: NotificationId, recipient: string) =>
      deliveries.find(session, { accountId, notificationId, recipient }),
    findForUpdate: ({ accountId, notificationId, recipient }: DeliveryKey) =>
      deliveries.findForUpdate(session, { accountId, notificationId, recipient }),
    /** So many of a notification's: what failed and what waits first. */
    of: ({ accountId, notificationId }: NotificationKey, limit: number) =>
      deliveries.all(
        session,
        { accountId, notificationId },
        `order by case status when 'failed' then 0 when 'queued' then 1 else 2 end, recipient limit ${Math.trunc(limit)}`,
      ),
    update: async ({ accountId, notificationId, recipient }: DeliveryKey, patch: DeliveryPatch) => {
      await deliveries.update(session, { accountId, notificationId, recipient }, patch);
    },
    delete: async ({ accountId, notificationId, recipient }: DeliveryKey) => {
      await deliveries.delete(session, { accountId, notificationId, recipient });
    },
    recipients: async (notification: NotificationKey) =>
      (await recipients.all(session, notification)).map(({ recipient }) => recipient),
    /** Who has it in_app. */
    shownTo: async (notification: NotificationKey) =>
      (await shownTo.all(session, notification)).map(({ recipient }) => recipient),
    /** Answers how many waited, and were not being sent. */
    cancel: async (notification: NotificationKey) => Number(await cancel.run(session, notification)),
    /** What a subject was shown, newest first. */
    inbox: (accountId: AccountId, recipient: string, read: boolean | undefined, page: PageRequest) =>
      deliveries.page(
        session,
        {
          name: 'inbox',
          where: { accountId, recipient },
          given: { readAt: read },
          and: () => [sql<boolean>`channel = 'in_app' and status = 'delivered'`],
        },
        page,
      ),
    /** At most MOST_UNREAD are counted. */
    unread: async (accountId: AccountId, recipient: string) =>
      Number((await unread.first(session, { accountId, recipient, most: BigInt(MOST_UNREAD) }))?.count ?? 0),
    /** How many wait, at most `most`, and until when the first does. */
    waiting: async (accountId: AccountId, channel: NotificationChannel, most: number) => {
      const found = await waiting.first(session, {
        // The next character after the space that a webhook follows.
        ...{ from: `${accountId} ${channel}`, to: `${accountId} ${channel}!` },
        most: BigInt(most),
      });
      const nextAt = found?.next_at ?? null;
      return { waiting: Number(found?.count ?? 0), nextAt: nextAt === null ? null : Number(nextAt) };
    },
    byStatus: async (accountId: AccountId, day: number) =>
      (await byStatus.all(session, { accountId, day: BigInt(day) })).map((row) => ({
        ...row,
        count: Number(row.count),
      })),
    /** Of every account, in order: with the soonest time of each. */
    queues: async (after: string, limit: number): Promise<WaitingQueue[]> =>
      (await queues.all(session, { after, limit: BigInt(limit) })).map(({ queue, next_at }) => {
        const [accountId, channel] = queue.split(' ') as [AccountId, NotificationChannel];
        return { queue, accountId, channel, nextAt: Number(next_at) };
      }),
    /** Whose time has come, the longest waiting first. */
    due: async ({ accountId, queue }: Pick<WaitingQueue, 'accountId' | 'queue'>, now: number, limit: number) => {
      const found = await due.all(session, { accountId, queue, now: BigInt(now), limit: BigInt(limit) });
      return found.map((row) => deliveries.record(row));
    },
    /** What waits for another try beyond that time, so many at once, waits for now; `unanswered`: only what failed without an answer. Answers how many. */
    bringForward: async (
      { accountId, queue }: Pick<WaitingQueue, 'accountId' | 'queue'>,
      { now, beyond, unanswered = false }: { now: number; beyond: number; unanswered?: boolean },
      limit: number,
    ) =>
      Number(
        await bringForward.run(session, {
          ...{ accountId, queue, now: BigInt(now), beyond: BigInt(beyond) },
          ...{ unanswered: BigInt(unanswered), limit: BigInt(limit) },
        }),
      ),
  };
}
