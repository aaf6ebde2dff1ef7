import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { RuleService } from '../../../../services/notifications/rules/rule-service.ts';
import { ruleExample, ruleParams } from './rule-answer.ts';

export const deleteNotificationRule = (rules: RuleService) =>
  operation({
    id: 'notification-rule.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/notifications/rules/{rule_id}',
    summary: 'End a notification rule',
    description: 'The digest that it was gathering is not sent.',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    params: ruleParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'forbidden'],
    example: { params: { rule_id: ruleExample.rule_id } },
    run: async ({ params }, context): Promise<null> => {
      await rules.delete(params.rule_id, context);
      return null;
    },
    present: () => undefined,
  });
