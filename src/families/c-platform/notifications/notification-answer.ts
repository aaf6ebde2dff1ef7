/** What a notification looks like on the wire. */
import { z } from 'zod';
import {
  DELIVERY_STATUSES,
  NOTIFICATION_CHANNELS,
  NOTIFICATION_STATUSES,
  notificationStatus,
  type Target,
  type TargetKind,
} from '../../../core/notifications/notification.ts';
import type {
  NotificationDelivery,
  NotificationDetail,
  NotificationView,
} from '../../../services/notifications/notification-service.ts';
import { answer, time } from '../../answer.ts';

const NAMES: Readonly<Record<TargetKind, string>> = {
  user: 'user_id',
  group: 'group_id',
  address: 'address',
  webhook: 'webhook_id',
  subject: 'credential_id',
};

export const targetNames = ({ kind, id }: Target): Record<string, string> => ({ [NAMES[kind]]: id });

const notificationShape = {
  notification_id: z.string(),
  status: z.enum(NOTIFICATION_STATUSES).meta({ description: 'partly_sent: some recipients could not be reached' }),
  channel: z.enum(NOTIFICATION_CHANNELS),
  to: z.record(z.string(), z.string()).meta({ description: 'user_id, group_id, address, webhook_id or credential_id' }),
  subject: z.string(),
  body: z.string().meta({ description: 'As it was sent; with a template the text that it made' }),
  html: z.string().meta({ description: 'The same as HTML that is safe to show' }),
  data: z.record(z.string(), z.unknown()).nullable(),
  template_id: z.string().nullable(),
  external_id: z.string().nullable(),
  sent_by: z
    .object({ kind: z.enum(['api_key', 'oauth_client', 'person', 'service']), id: z.string().nullable() })
    .meta({ description: '`id`: null for whom it was only shown; they see nothing of other recipients, either' }),
  send_at: time.nullable(),
  recipients: z
    .object({ waiting: z.int(), delivered: z.int(), failed: z.int() })
    .meta({ description: 'A group counts as one until its time has come' }),
  read_at: time.nullable().meta({ description: "Of the caller's own" }),
  cancelled_at: time.nullable(),
  created_at: time,
};

const computed = (record: NotificationView) => {
  const { target, makerKind, makerId, waiting, delivered, failed } = record;
  return {
    status: notificationStatus(record),
    to: targetNames(target),
    sent_by: { kind: makerKind, id: makerId },
    recipients: { waiting, delivered, failed },
  };
};

export const notification = answer('Notification', notificationShape, computed);

const { html: _html, ...listedShape } = notificationShape;
/** In lists: the HTML may be ten times as long as the body. */
export const listedNotification = answer('ListedNotification', listedShape, computed);

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const delivery = answer(
  'NotificationDelivery',
  {
    recipient: z
      .string()
      .meta({ description: 'A user, credential, address or webhook; a group until its time has come' }),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    code: z
      .string()
      .nullable()
      .meta({ description: 'What the last attempt was answered: an SMTP reply, an HTTP status' }),
    error: z.string().nullable(),
    next_try_at: time.nullable(),
    delivered_at: time.nullable(),
    read_at: time.nullable(),
  },
  ({ nextAt }: NotificationDelivery) => ({ next_try_at: iso(nextAt) }),
);

export const notificationDetail = answer(
  'NotificationDetail',
  {
    ...notificationShape,
    deliveries: z.array(delivery.schema).meta({
      description: 'For who may read what the account sent: what failed and what waits first, at most 100',
    }),
  },
  ({ deliveries, ...record }: NotificationDetail) => ({
    ...computed(record),
    deliveries: deliveries.map(delivery.present),
  }),
);

const at = '2026-11-20T10:00:00.000Z';

export const notificationExample = {
  notification_id: 'ntf_0aXk9Q2mW3mVb1k7Q2xYt9',
  status: 'sent' as const,
  channel: 'in_app' as const,
  to: { user_id: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
  subject: 'Cold wallet refilled',
  body: 'The treasury wallet received **0.5 BTC**.',
  html: '<p>The treasury wallet received <strong>0.5 BTC</strong>.</p>\n',
  data: null,
  template_id: null,
  external_id: 'refill-2026-11-20',
  sent_by: { kind: 'api_key' as const, id: 'key_8sKd2LmQ9vXcT4yHn6PzRa' },
  send_at: null,
  recipients: { waiting: 0, delivered: 1, failed: 0 },
  read_at: null,
  cancelled_at: null,
  created_at: at,
};
export const notificationDetailExample = {
  ...notificationExample,
  deliveries: [
    {
      ...{ recipient: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa', status: 'delivered' as const, attempts: 0, code: null },
      ...{ error: null, next_try_at: null, delivered_at: at, read_at: null },
    },
  ],
};

export const notificationFigures = answer('NotificationStatus', {
  unread: z.int().meta({ description: "Of the caller's own, in_app; at most 10000 are counted" }),
  channels: z.array(
    answer('NotificationChannelStatus', {
      channel: z.enum(NOTIFICATION_CHANNELS),
      configured: z.boolean(),
      waiting: z.int().meta({ description: 'Recipients; at 10,000 there may be more' }),
      next_at: time.nullable().meta({ description: 'When the first of them is to be sent' }),
      delivered: z.int().meta({ description: 'Recipients of today (UTC), as is `failed`' }),
      failed: z.int(),
    }).schema,
  ),
});

const { html: _, ...listed } = notificationExample;
export const listedNotificationExample = listed;
