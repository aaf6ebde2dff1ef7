import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import { deleteNotification } from './delete-notification.ts';
import { getNotification } from './get-notification.ts';
import { getNotificationStatus } from './get-notification-status.ts';
import { listNotification } from './list-notification.ts';
import { sendNotification } from './send-notification.ts';
import { updateNotification } from './update-notification.ts';

export const notificationOperations = (notifications: NotificationService) => [
  sendNotification(notifications),
  listNotification(notifications),
  getNotificationStatus(notifications),
  getNotification(notifications),
  updateNotification(notifications),
  deleteNotification(notifications),
];
