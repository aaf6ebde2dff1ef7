import { operation } from '../../../../hooks/operation.ts';
import type { RuleService } from '../../../../services/notifications/rules/rule-service.ts';
import { changedRuleBody, rule, ruleChangeOf, ruleExample, ruleParams } from './rule-answer.ts';

export const updateNotificationRule = (rules: RuleService) =>
  operation({
    id: 'notification-rule.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/notifications/rules/{rule_id}',
    summary: 'Change a notification rule, or disable it',
    description:
      'It goes on telling what the credential that made it may read; the one that asks must be able to read all of it. Enabled again, it tells ' +
      'of what happens from then on.',
    tag: 'Notifications',
    effect: 'write',
    changesRules: false,
    access: { scope: 'notifications:write', role: 'operator' },
    params: ruleParams,
    body: changedRuleBody,
    success: { status: 200, answer: rule, description: 'The rule' },
    errors: ['not_found', 'invalid_value', 'not_configured', 'forbidden', 'state_conflict'],
    example: { params: { rule_id: ruleExample.rule_id }, body: { digest: 'hourly' }, response: ruleExample },
    run: ({ params, body }, context) => rules.update(params.rule_id, ruleChangeOf(body), context),
  });
