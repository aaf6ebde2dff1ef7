import { operation } from '../../../hooks/operation.ts';
import type { ScreeningLists } from '../../../services/screening/screening-lists.ts';
import { listExample, listParams, reading, screeningList } from './screening-list-answer.ts';

export const getScreeningList = (lists: ScreeningLists) =>
  operation({
    ...reading,
    id: 'screening-list.get',
    path: '/api/v1/compliance/screening-lists/{list_id}',
    summary: 'A screening list',
    params: listParams,
    success: { status: 200, answer: screeningList, description: 'The list' },
    errors: ['not_found'],
    example: { params: { list_id: listExample.list_id }, response: listExample },
    run: ({ params }, context) => lists.get(params.list_id, context),
  });
