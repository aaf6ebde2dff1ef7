import { operation } from '../../../../hooks/operation.ts';
import type { RuleService } from '../../../../services/notifications/rules/rule-service.ts';
import { madeRule, newRuleBody, newRuleOf, ruleExample } from './rule-answer.ts';

export const createNotificationRule = (rules: RuleService) =>
  operation({
    id: 'notification-rule.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/notifications/rules',
    summary: 'Notify people of events from now on',
    description:
      'For as long as the credential that asks here may read the events and send notifications. See [notifications](/docs/notifications).',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    body: newRuleBody,
    success: { status: 201, answer: madeRule, description: 'The rule' },
    errors: ['invalid_value', 'not_found', 'not_configured', 'forbidden', 'policy_refused', 'state_conflict'],
    example: {
      body: { events: ruleExample.events, channel: 'in_app', amount_over: '0.5', digest: 'daily' },
      response: { ...ruleExample, warnings: [] },
    },
    run: ({ body }, context) => rules.create(newRuleOf(body), context),
  });
