import { operation } from '../../../hooks/operation.ts';
import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { notificationFigures } from './notification-answer.ts';

export const getNotificationStatus = (notifications: NotificationService) =>
  operation({
    id: 'notification-status.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications/status',
    summary: 'What waits and what failed, by channel, and how much the caller has not read',
    description: 'People see what they have not read without the scope; `channels` is empty then.',
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'viewer', own: true },
    success: { status: 200, answer: notificationFigures, description: 'Figures of the account' },
    example: {
      response: {
        unread: 2,
        channels: [
          { channel: 'in_app', configured: true, waiting: 0, next_at: null, delivered: 31, failed: 0 },
          {
            channel: 'email',
            configured: true,
            waiting: 4,
            next_at: '2026-11-20T10:00:10.000Z',
            delivered: 7,
            failed: 1,
          },
        ],
      },
    },
    run: (_, context) => notifications.status(context),
  });
