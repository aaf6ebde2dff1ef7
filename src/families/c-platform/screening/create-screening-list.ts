import { operation } from '../../../hooks/operation.ts';
import { MAX_LISTS, type ScreeningLists } from '../../../services/screening/screening-lists.ts';
import { listBody, listCsv, listExample, screeningList, writing } from './screening-list-answer.ts';

export const createScreeningList = (lists: ScreeningLists) =>
  operation({
    ...writing,
    id: 'screening-list.create',
    method: 'POST',
    path: '/api/v1/compliance/screening-lists',
    summary: 'Make a screening list (CSV of addresses)',
    description:
      'From then on a payment to one of its addresses is denied, unless a rule with `screening` decides otherwise. All lines are taken or none: ' +
      `details.errors names line and column of what is wrong. An account has at most ${MAX_LISTS} lists. [Guide](/docs/compliance).`,
    body: listBody,
    success: { status: 201, answer: screeningList, description: 'The list' },
    errors: ['invalid_address', 'wrong_network', 'policy_refused'],
    example: { body: { name: listExample.name, csv: listCsv }, response: listExample },
    run: ({ body }, context) => lists.create(body, context),
  });
