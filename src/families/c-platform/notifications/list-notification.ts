import { z } from 'zod';
import { NOTIFICATION_STATUSES } from '../../../core/notifications/notification.ts';
import { operation } from '../../../hooks/operation.ts';
import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { booleanQuery, pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { listedNotification, listedNotificationExample } from './notification-answer.ts';
import { channelField } from './notification-fields.ts';

const box = z.enum(['inbox', 'sent']).default('inbox').meta({
  description: 'inbox: the caller’s own, in_app. sent: all that the account sent, for operators',
});

export const listNotification = (notifications: NotificationService) =>
  operation({
    id: 'notification.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications',
    summary: 'What the caller was notified of, or what the account sent',
    description: 'Without the HTML, which GET of one answers.',
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'viewer', own: true },
    query: z.strictObject({
      ...{ ...pageQuery, box },
      unread: booleanQuery.optional().meta({ description: 'Of the inbox' }),
      channel: channelField.optional().meta({ description: 'Of what was sent' }),
      status: z.enum(NOTIFICATION_STATUSES).optional().meta({ description: 'Of what was sent' }),
    }),
    success: {
      status: 200,
      answer: paginated(listedNotification),
      description: 'A page of notifications, newest first',
    },
    errors: ['forbidden'],
    example: { query: { limit: '20' }, response: pageExample(listedNotificationExample) },
    run: ({ query: { box: of, unread, channel, status, ...page } }, context) =>
      of === 'inbox'
        ? notifications.inbox(unread, pageOf(page), context)
        : notifications.sent({ channel, status }, pageOf(page), context),
  });
