/** The event of a change of a notification, for the sockets of its recipients: in the job that changes it. */
import type { UpdateData } from '../../core/events/channels.ts';
import type { NotificationChange } from '../../core/events/statuses.ts';
import type { NotificationRecord } from '../../store/repositories/notifications.ts';
import type { Repositories } from '../../store/store.ts';

export async function publishChange(
  tx: Pick<Repositories, 'events'>,
  { accountId, notificationId, subject }: NotificationRecord,
  change: NotificationChange,
  recipients: readonly string[],
): Promise<void> {
  const data = { notification_id: notificationId, change, subject } satisfies UpdateData['notifications'];
  await tx.events.appendMany(recipients.map((ref) => ({ accountId, channel: 'notifications', ref, data })));
}
