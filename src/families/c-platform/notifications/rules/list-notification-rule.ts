import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { RuleService } from '../../../../services/notifications/rules/rule-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { pageOf } from '../../../optional-values.ts';
import { rule, ruleExample } from './rule-answer.ts';

export const listNotificationRule = (rules: RuleService) =>
  operation({
    id: 'notification-rule.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/notifications/rules',
    summary: "The account's notification rules",
    tag: 'Notifications',
    effect: 'read',
    access: { scope: 'notifications:read', role: 'operator' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(rule), description: 'A page of rules, newest first' },
    example: { query: { limit: '20' }, response: pageExample(ruleExample) },
    run: ({ query }, context) => rules.list(pageOf(query), context),
  });
