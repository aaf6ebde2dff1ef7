import { operation } from '../../../hooks/operation.ts';
import type { ScreeningLists } from '../../../services/screening/screening-lists.ts';
import { listBody, listCsv, listExample, listParams, screeningList, writing } from './screening-list-answer.ts';

export const replaceScreeningList = (lists: ScreeningLists) =>
  operation({
    ...writing,
    id: 'screening-list.replace',
    method: 'PUT',
    path: '/api/v1/compliance/screening-lists/{list_id}',
    summary: 'Replace the contents of a screening list',
    description: 'By those of the file alone, all lines or none. Rules go on naming the list by its id.',
    params: listParams,
    body: listBody,
    success: { status: 200, answer: screeningList, description: 'The list as it is now' },
    errors: ['not_found', 'invalid_address', 'wrong_network'],
    example: {
      params: { list_id: listExample.list_id },
      body: { name: 'OFAC SDN of December', csv: listCsv },
      response: { ...listExample, name: 'OFAC SDN of December' },
    },
    run: ({ params, body }, context) => lists.replace(params.list_id, body, context),
  });
