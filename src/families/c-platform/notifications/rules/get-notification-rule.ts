import { operation } from '../../../../hooks/operation.ts';
import type { RuleService } from '../../../../services/notifications/rules/rule-service.ts';
import { rule, ruleExample, ruleParams } from './rule-answer.ts';

export const getNotificationRule = (rules: RuleService) =>
  operation({
    id: 'notification-rule.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications/rules/{rule_id}',
    summary: 'A notification rule, and what its next digest holds',
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'operator' },
    params: ruleParams,
    success: { status: 200, answer: rule, description: 'The rule' },
    errors: ['not_found'],
    example: { params: { rule_id: ruleExample.rule_id }, response: ruleExample },
    run: ({ params }, context) => rules.get(params.rule_id, context),
  });
