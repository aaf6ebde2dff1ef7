import type { NotificationService } from '../../../services/notifications/notification-service.ts';
import type { TemplateService } from '../../../services/notifications/template-service.ts';
import { deleteNotification } from './delete-notification.ts';
import { getNotification } from './get-notification.ts';
import { getNotificationStatus } from './get-notification-status.ts';
import { listNotification } from './list-notification.ts';
import { sendNotification } from './send-notification.ts';
import { createNotificationTemplate } from './templates/create-notification-template.ts';
import { deleteNotificationTemplate } from './templates/delete-notification-template.ts';
import { getNotificationTemplate } from './templates/get-notification-template.ts';
import { listNotificationTemplate } from './templates/list-notification-template.ts';
import { updateNotificationTemplate } from './templates/update-notification-template.ts';
import { updateNotification } from './update-notification.ts';

export const notificationOperations = (notifications: NotificationService, templates: TemplateService) => [
  createNotificationTemplate(templates),
  listNotificationTemplate(templates),
  getNotificationTemplate(templates),
  updateNotificationTemplate(templates),
  deleteNotificationTemplate(templates),
  sendNotification(notifications),
  listNotification(notifications),
  getNotificationStatus(notifications),
  getNotification(notifications),
  updateNotification(notifications),
  deleteNotification(notifications),
];
