import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { TravelRules } from '../../../services/travel-rule/travel-rules.ts';
import { integerQuery } from '../../fields.ts';
import { answerExample, travelRule, travelRuleParams } from './travel-rule-answer.ts';

export const getTravelRule = (travelRules: Pick<TravelRules, 'get'>) =>
  operation({
    id: 'travel-rule.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/compliance/travel-rule/{txid}',
    summary: 'Who is behind a payment, and what is missing',
    description: 'Reading data is recorded in the audit log. [Guide](/docs/compliance).',
    tag: 'Compliance',
    effect: 'read',
    auditsReads: true,
    access: { scope: 'compliance:read', role: 'operator' },
    params: travelRuleParams,
    query: z.strictObject({
      recipient: integerQuery(0, 9_999)
        .optional()
        .meta({ description: 'Index of a recipient; may be left out where there is one' }),
    }),
    success: { status: 200, ...travelRule, description: 'What is known' },
    present: travelRule.present,
    errors: ['not_found'],
    example: { params: { txid: answerExample.txid }, response: answerExample },
    run: ({ params, query }, context) => travelRules.get(params.txid, query.recipient, context),
  });
