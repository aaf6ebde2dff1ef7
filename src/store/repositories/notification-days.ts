import type { AccountId } from '../../core/ids.ts';
import type { NotificationChannel } from '../../core/notifications/notification.ts';
import { integer, type RecordOf, type RowOf, table, text } from '../queries/columns.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const daysTable = table('notification_days', ['accountId', 'channel', 'day'], {
  accountId: text<AccountId>(),
  channel: text<NotificationChannel>(),
  /** Days since 1970 (UTC). */
  day: integer,
  recipients: integer,
});
type DayKey = Pick<RecordOf<typeof daysTable>, 'accountId' | 'channel' | 'day'>;

declare module '../schema.ts' {
  interface Schema {
    notification_days: RowOf<typeof daysTable>;
  }
}

const days = rowsOf(daysTable, 'on conflict (account_id, channel, day) do nothing');
const add = prepared((db, p: { accountId: AccountId; channel: NotificationChannel; day: bigint; by: bigint }) =>
  db
    .updateTable('notification_days')
    .set((eb) => ({ recipients: eb('recipients', '+', p.by) }))
    .where('account_id', '=', p.accountId)
    .where('channel', '=', p.channel)
    .where('day', '=', p.day),
);
const deleteBefore = prepared((db, p: { day: bigint }) => db.deleteFrom('notification_days').where('day', '<', p.day));

export function notificationDayRepository(session: Session) {
  return {
    /** How many recipients the day has. */
    of: async (key: DayKey) => (await days.find(session, key))?.recipients ?? 0,
    /** The same, and until the job ends no other job adds any. */
    lock: async (key: DayKey) => {
      await days.insert(session, [{ ...key, recipients: 0 }]);
      return (await days.findForUpdate(session, key))?.recipients ?? 0;
    },
    /** After `lock`. */
    add: ({ accountId, channel, day }: DayKey, by: number) =>
      add.run(session, { accountId, channel, day: BigInt(day), by: BigInt(by) }),
    /** Of every account; answers how many. */
    deleteBefore: async (day: number) => Number(await deleteBefore.run(session, { day: BigInt(day) })),
  };
}
