import type { RuleService } from '../../../../services/notifications/rules/rule-service.ts';
import { createNotificationRule } from './create-notification-rule.ts';
import { deleteNotificationRule } from './delete-notification-rule.ts';
import { getNotificationRule } from './get-notification-rule.ts';
import { listNotificationRule } from './list-notification-rule.ts';
import { updateNotificationRule } from './update-notification-rule.ts';

export const notificationRuleOperations = (rules: RuleService) => [
  createNotificationRule(rules),
  listNotificationRule(rules),
  getNotificationRule(rules),
  updateNotificationRule(rules),
  deleteNotificationRule(rules),
];
