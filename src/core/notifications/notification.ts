/** Notifications: which channel reaches whom, and what becomes of them. */

export const NOTIFICATION_CHANNELS = ['in_app', 'push', 'email', 'webhook'] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/** `subject`: whoever a credential counts as, a person or an API key or OAuth client of nobody's. */
export type TargetKind = 'user' | 'group' | 'address' | 'webhook' | 'subject';
export interface Target {
  readonly kind: TargetKind;
  readonly id: string;
}

export const TARGETS: Readonly<Record<NotificationChannel, readonly TargetKind[]>> = {
  in_app: ['user', 'group', 'subject'],
  push: ['user', 'group', 'subject'],
  email: ['user', 'group', 'address'],
  webhook: ['webhook'],
};

/** Recipients of one account on one day (UTC): one tenant floods neither a mail server nor a person. */
export const A_DAY: Readonly<Record<NotificationChannel, number>> = {
  in_app: 20_000,
  push: 20_000,
  email: 2_000,
  webhook: 10_000,
};

export const DELIVERY_STATUSES = ['queued', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const NOTIFICATION_STATUSES = ['queued', 'sent', 'partly_sent', 'failed', 'cancelled'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

interface Counts {
  readonly waiting: number;
  readonly delivered: number;
  readonly failed: number;
  readonly cancelledAt: number | null;
}

/** One that was cancelled when some recipients had it already is cancelled all the same. */
export function notificationStatus({ waiting, delivered, failed, cancelledAt }: Counts): NotificationStatus {
  if (cancelledAt !== null) return 'cancelled';
  if (waiting > 0) return 'queued';
  if (failed === 0) return 'sent';
  return delivered === 0 ? 'failed' : 'partly_sent';
}

const DAY_MS = 86_400_000;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);
/** Seconds until the next one begins. */
export const secondsLeftOf = (at: number): number => Math.ceil(((dayOf(at) + 1) * DAY_MS - at) / 1000);
