import { operation } from '../../../hooks/operation.ts';
import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { notification, notificationExample } from './notification-answer.ts';
import { changedNotificationBody, notificationParams } from './notification-fields.ts';

export const updateNotification = (notifications: NotificationService) =>
  operation({
    id: 'notification.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/notifications/{notification_id}',
    summary: "Mark one of the caller's own notifications as read, or unread",
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'viewer', own: true },
    params: notificationParams,
    body: changedNotificationBody,
    success: { status: 200, answer: notification, description: 'The notification' },
    errors: ['not_found'],
    example: {
      params: { notification_id: notificationExample.notification_id },
      body: { read: true },
      response: { ...notificationExample, read_at: notificationExample.created_at },
    },
    run: ({ params, body }, context) => notifications.mark(params.notification_id, body.read, context),
  });
