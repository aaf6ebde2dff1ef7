/** Writes a notification, with whom it goes to, in the caller's job: what is sent is sent if, and only if, that commits. */
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newOrderedId } from '../../core/ids.ts';
import { htmlOf } from '../../core/notifications/markdown.ts';
import {
  A_DAY,
  dayOf,
  type NotificationChannel,
  secondsLeftOf,
  type Target,
} from '../../core/notifications/notification.ts';
import type { NotificationDelivery } from '../../store/repositories/notification-deliveries.ts';
import type { NotificationRecord } from '../../store/repositories/notifications.ts';
import type { Repositories } from '../../store/store.ts';
import { isGone } from './channels/in-app.ts';
import { publishChange } from './publish-change.ts';

export interface NewNotification {
  readonly accountId: AccountId;
  readonly channel: NotificationChannel;
  readonly target: Target;
  readonly maker: { readonly kind: NotificationRecord['makerKind']; readonly id: string };
  readonly subject: string;
  /** Markdown. */
  readonly body: string;
  /** What the body comes out as, where it is not all Markdown of the sender's. */
  readonly html?: string;
  readonly data?: NotificationRecord['data'];
  readonly templateId?: string | null;
  readonly externalId?: string | null;
  /** Epoch milliseconds; null: now. */
  readonly sendAt?: number | null;
  /** Where it may have been written before; then nothing is written. */
  readonly notificationId?: NotificationRecord['notificationId'];
  /** Security notices are shown however many there were. */
  readonly isNotice?: boolean;
}

/** A notice takes no room from what the account sends. */
const NO_DAY = -1;

type Tx = Pick<Repositories, 'notifications' | 'notificationDeliveries' | 'notificationDays' | 'events' | 'users'>;
type OfChannel = Pick<NotificationRecord, 'accountId' | 'channel'>;

/** Of a channel, on the day of `at`. */
export const roomLeft = async (
  { notificationDays }: Pick<Repositories, 'notificationDays'>,
  { accountId, channel }: OfChannel,
  at: number,
): Promise<number> => A_DAY[channel] - (await notificationDays.of({ accountId, channel, day: dayOf(at) }));

/** Takes of that room as much as there is, at most `wanted`: nobody else takes it before the job ends. */
export async function takeRoom(
  { notificationDays }: Pick<Repositories, 'notificationDays'>,
  { accountId, channel }: OfChannel,
  at: number,
  wanted: number,
): Promise<number> {
  const day = { accountId, channel, day: dayOf(at) };
  const taken = Math.max(0, Math.min(wanted, A_DAY[channel] - (await notificationDays.lock(day))));
  if (taken > 0) await notificationDays.add(day, taken);
  return taken;
}

export const newDelivery = (
  { accountId, notificationId, channel }: NotificationRecord,
  recipient: string,
  { at, notBefore = null }: { at: number; notBefore?: number | null },
): NotificationDelivery => ({
  ...{
    accountId,
    notificationId,
    channel,
    recipient,
    status: 'queued',
    attempts: 0,
    notBefore,
    nextAt: notBefore ?? at,
  },
  ...{ begunAt: null, failingSince: null, code: null, error: null, deliveredAt: null, readAt: null },
  ...{ day: dayOf(notBefore ?? at), createdAt: at },
});

/** As it is once an in_app one is there for whoever it is for. */
export const shown = (delivery: NotificationDelivery, at: number): NotificationDelivery => ({
  ...delivery,
  ...{ status: 'delivered', nextAt: null, deliveredAt: at },
});

export function createEnqueue(deps: { clock: () => number; randomBytes: (size: number) => Uint8Array }) {
  const { clock, randomBytes } = deps;

  /** Throws `rate_limited` where the account has sent as many on that day as one may. */
  return async (tx: Tx, given: NewNotification): Promise<NotificationRecord> => {
    const { accountId, channel, target, maker, subject, body, html = htmlOf(body) } = given;
    const { data = null, templateId = null, externalId = null, isNotice = false } = given;
    const at = clock();
    const { notificationId = newOrderedId('ntf', at, randomBytes) } = given;
    const before = given.notificationId && (await tx.notifications.find(accountId, notificationId));
    if (before) return before;
    const sendAt = (given.sendAt ?? at) > at ? (given.sendAt ?? null) : null;
    if (!isNotice && (await takeRoom(tx, { accountId, channel }, sendAt ?? at, 1)) === 0) {
      throw new DomainError(
        'rate_limited',
        `an account sends at most ${A_DAY[channel]} ${channel} notifications a day (UTC)`,
        { field: 'channel', retryAfterSeconds: secondsLeftOf(sendAt ?? at) },
      );
    }
    const isAtOnce = channel === 'in_app' && target.kind !== 'group' && sendAt === null;
    // Of who was deleted the delivery fails, in its turn.
    const isShown = isAtOnce && !(await isGone(tx, accountId, target.id));
    const notification: NotificationRecord = {
      ...{ notificationId, accountId, channel, target },
      ...{ makerKind: maker.kind, makerId: maker.id, externalId, templateId, subject, body, html, data, sendAt },
      ...{ waiting: isShown ? 0 : 1, delivered: isShown ? 1 : 0, failed: 0, cancelledAt: null, createdAt: at },
    };
    const counted = newDelivery(notification, target.id, { at, notBefore: sendAt });
    const delivery = isNotice ? { ...counted, day: NO_DAY } : counted;
    await tx.notifications.insert(notification);
    await tx.notificationDeliveries.insert([isShown ? shown(delivery, at) : delivery]);
    if (isShown) await publishChange(tx, notification, 'shown', [target.id]);
    return notification;
  };
}

export type Enqueue = ReturnType<typeof createEnqueue>;
