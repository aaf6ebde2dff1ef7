import { operation } from '../../../hooks/operation.ts';
import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { notification, notificationExample } from './notification-answer.ts';
import { newNotificationBody, targetOf } from './notification-fields.ts';

export const sendNotification = (notifications: NotificationService) =>
  operation({
    id: 'notification.send',
    family: 'c',
    method: 'POST',
    path: '/api/v1/notifications/send',
    summary: 'Notify people of the account',
    description:
      'Queued; `status` and the notification say what became of it. See [notifications](/docs/notifications).',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    body: newNotificationBody,
    success: { status: 202, answer: notification, description: 'The notification' },
    errors: ['invalid_value', 'not_found', 'not_configured', 'already_exists', 'policy_refused', 'state_conflict'],
    example: {
      body: {
        ...{ channel: 'in_app', to: notificationExample.to, external_id: notificationExample.external_id },
        ...{ subject: notificationExample.subject, body: notificationExample.body },
      },
      response: notificationExample,
    },
    run: ({ body: { channel, to, data, ...body } }, context) => {
      const { template_id: templateId, subject = '', body: text = '', send_at, external_id: externalId } = body;
      const sendAt = send_at === null ? null : Date.parse(send_at);
      const content = templateId === undefined ? { subject, body: text } : { templateId };
      return notifications.send({ channel, target: targetOf(to), content, data, sendAt, externalId }, context);
    },
  });
