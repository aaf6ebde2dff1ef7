import { operation } from '../../../hooks/operation.ts';
import type { TravelRules } from '../../../services/travel-rule/travel-rules.ts';
import { namedRequest } from '../../fields.ts';
import { travelRuleField } from '../../travel-rule-field.ts';
import {
  answerExample,
  recipientField,
  travelRule,
  travelRuleExample,
  travelRuleParams,
} from './travel-rule-answer.ts';

export const replaceTravelRule = (travelRules: Pick<TravelRules, 'replace'>) =>
  operation({
    id: 'travel-rule.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/compliance/travel-rule/{txid}',
    summary: 'Say who is behind a payment',
    description:
      'Of a payment that was made, or of one that came in: the data that its sender gave. In the place of what was there of this recipient. ' +
      'What is wrong is refused; what is missing is listed. [Guide](/docs/compliance).',
    tag: 'Compliance',
    effect: 'write',
    changesRules: false,
    spends: [],
    access: { scope: 'compliance:write', role: 'operator' },
    params: travelRuleParams,
    body: namedRequest('TravelRuleRequest', { recipient: recipientField.optional(), travel_rule: travelRuleField }),
    success: { status: 200, ...travelRule, description: 'It is kept' },
    present: travelRule.present,
    errors: ['not_found'],
    example: {
      params: { txid: answerExample.txid },
      body: { travel_rule: travelRuleExample },
      response: answerExample,
    },
    run: ({ params, body }, context) =>
      travelRules.replace(params.txid, { recipient: body.recipient, data: body.travel_rule }, context),
  });
