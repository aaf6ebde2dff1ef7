import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { notificationExample } from './notification-answer.ts';
import { notificationParams } from './notification-fields.ts';

export const deleteNotification = (notifications: NotificationService) =>
  operation({
    id: 'notification.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/notifications/{notification_id}',
    summary: 'Cancel what is not sent yet',
    description: 'It stays on record as `cancelled`. Of a group, who has it already keeps it. 409 where nothing waits.',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    params: notificationParams,
    success: { status: 204, schema: z.undefined(), description: 'Cancelled' },
    errors: ['not_found', 'forbidden', 'state_conflict'],
    example: { params: { notification_id: notificationExample.notification_id } },
    run: async ({ params }, context): Promise<null> => {
      await notifications.cancel(params.notification_id, context);
      return null;
    },
    present: () => undefined,
  });
