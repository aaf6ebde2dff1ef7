import { operation } from '../../../hooks/operation.ts';
import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { notificationDetail, notificationDetailExample } from './notification-answer.ts';
import { notificationParams } from './notification-fields.ts';

export const getNotification = (notifications: NotificationService) =>
  operation({
    id: 'notification.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications/{notification_id}',
    summary: 'A notification, and what became of it',
    description: "One of the caller's own, or for operators any that the account sent.",
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'viewer', own: true },
    params: notificationParams,
    success: { status: 200, answer: notificationDetail, description: 'The notification' },
    errors: ['not_found'],
    example: {
      params: { notification_id: notificationDetailExample.notification_id },
      response: notificationDetailExample,
    },
    run: ({ params }, context) => notifications.get(params.notification_id, context),
  });
