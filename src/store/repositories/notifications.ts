import { type RawBuilder, sql } from 'kysely';
import type { AccountId, Id } from '../../core/ids.ts';
import type { NotificationChannel, NotificationStatus, Target } from '../../core/notifications/notification.ts';
import { integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, ofAccountByIds, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export type NotificationId = Id<'ntf'>;

const notificationsTable = table('notifications', ['notificationId'], {
  notificationId: text<NotificationId>(),
  accountId: text<AccountId>(),
  channel: text<NotificationChannel>(),
  /** As it was addressed: who a group's members are is found when it is sent. */
  target: json<Target>(),
  /** Who sent it; of a rule its maker. `service`: the service itself, which nobody's rights bound. */
  makerKind: text<'api_key' | 'oauth_client' | 'person' | 'service'>(),
  makerId: text(),
  externalId: orNull(text()),
  templateId: orNull(text()),
  subject: text(),
  /** Markdown. */
  body: text(),
  html: text(),
  data: orNull(json<Readonly<Record<string, unknown>>>()),
  /** null: at once. */
  sendAt: orNull(time),
  /** Recipients by what became of them. */
  waiting: integer,
  delivered: integer,
  failed: integer,
  cancelledAt: orNull(time),
  createdAt: time,
});
export type NotificationRecord = RecordOf<typeof notificationsTable>;
export type NotificationKey = Pick<NotificationRecord, 'accountId' | 'notificationId'>;

declare module '../schema.ts' {
  interface Schema {
    notifications: RowOf<typeof notificationsTable>;
  }
}

const notifications = rowsOf(notificationsTable);
const unsent = (condition: RawBuilder<boolean>) =>
  sql<boolean>`(waiting > 0 or failed > 0 or cancelled_at is not null) and ${condition}`;
/** As `notificationStatus` of core/notifications has it; all but those that were sent as in their index, too. */
const OF_STATUS: Readonly<Record<NotificationStatus, RawBuilder<boolean>>> = {
  sent: sql`cancelled_at is null and waiting = 0 and failed = 0`,
  queued: unsent(sql`cancelled_at is null and waiting > 0`),
  failed: unsent(sql`cancelled_at is null and waiting = 0 and failed > 0 and delivered = 0`),
  partly_sent: unsent(sql`cancelled_at is null and waiting = 0 and failed > 0 and delivered > 0`),
  cancelled: unsent(sql`cancelled_at is not null`),
};
export interface SentFilter {
  readonly channel?: NotificationChannel | undefined;
  readonly status?: NotificationStatus | undefined;
}
const among = prepared((db, p: { accountId: AccountId; ids: string }, kind) =>
  notifications
    .select(db)
    .where(ofAccountByIds(kind, p.accountId))
    .where(amongTexts(kind, 'notification_id', p.ids)),
);
const count = prepared((db, p: NotificationKey & { waiting: bigint; delivered: bigint; failed: bigint }) =>
  db
    .updateTable('notifications')
    .set((eb) => ({
      waiting: eb('waiting', '+', p.waiting),
      delivered: eb('delivered', '+', p.delivered),
      failed: eb('failed', '+', p.failed),
    }))
    .where('account_id', '=', p.accountId)
    .where('notification_id', '=', p.notificationId),
);
/** The conditions as in the index. */
const ended = prepared((db, p: { before: bigint; limit: bigint }) =>
  db
    .selectFrom('notifications')
    .select('notification_id')
    .where(sql<boolean>`waiting = 0`)
    .where('created_at', '<', p.before)
    .orderBy('created_at')
    .limit(p.limit),
);
const deleteDeliveries = prepared((db, p: { ids: string; limit: bigint }, kind) => ({
  compile: () =>
    sql`delete from notification_deliveries where (notification_id, recipient) in (
      select notification_id, recipient from notification_deliveries
        where ${amongTexts(kind, 'notification_id', p.ids)} limit ${p.limit})`.compile(db),
}));
const deleteAmong = prepared((db, p: { ids: string }, kind) =>
  db.deleteFrom('notifications').where(amongTexts(kind, 'notification_id', p.ids)),
);

export function notificationRepository(session: Session) {
  return {
    insert: async (notification: NotificationRecord) => {
      await notifications.insert(session, [notification]);
    },
    find: (accountId: AccountId, notificationId: NotificationId) =>
      notifications.find(session, { accountId, notificationId }),
    findForUpdate: (accountId: AccountId, notificationId: NotificationId) =>
      notifications.findForUpdate(session, { accountId, notificationId }),
    findByExternalId: (accountId: AccountId, externalId: string) =>
      notifications.find(session, { accountId, externalId }),
    among: async (accountId: AccountId, ids: readonly NotificationId[]) =>
      (await among.all(session, { accountId, ids: textList(ids) })).map((row) => notifications.record(row)),
    /** Newest first. */
    list: (accountId: AccountId, { channel, status }: SentFilter, page: PageRequest) =>
      notifications.page(
        session,
        { name: 'notifications', where: { accountId, channel }, and: () => [status && OF_STATUS[status]] },
        page,
      ),
    /** Of every account: those from before this time of which nothing waits, with their deliveries. Answers how many rows, at most `limit`. */
    deleteEnded: async (before: number, limit: number) => {
      const found = await ended.all(session, { before: BigInt(before), limit: BigInt(limit) });
      const oldest = found.map(({ notification_id }) => notification_id);
      const deliveries = Number(await deleteDeliveries.run(session, { ids: textList(oldest), limit: BigInt(limit) }));
      if (deliveries === limit) return limit;
      const ids = textList(oldest.slice(0, limit - deliveries));
      return deliveries + Number(await deleteAmong.run(session, { ids }));
    },
    cancel: async ({ accountId, notificationId }: NotificationKey, cancelledAt: number) => {
      await notifications.update(session, { accountId, notificationId }, { cancelledAt });
    },
    /** So many recipients more, or fewer, are in each state. */
    count: async (
      { accountId, notificationId }: NotificationKey,
      { waiting = 0, delivered = 0, failed = 0 }: { waiting?: number; delivered?: number; failed?: number },
    ) => {
      const by = { waiting: BigInt(waiting), delivered: BigInt(delivered), failed: BigInt(failed) };
      await count.run(session, { accountId, notificationId, ...by });
    },
  };
}
