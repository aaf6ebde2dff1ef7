import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ScreeningLists } from '../../../services/screening/screening-lists.ts';
import { listExample, listParams, writing } from './screening-list-answer.ts';

export const deleteScreeningList = (lists: ScreeningLists) =>
  operation({
    ...writing,
    id: 'screening-list.delete',
    method: 'DELETE',
    path: '/api/v1/compliance/screening-lists/{list_id}',
    summary: 'Delete a screening list',
    description: 'Its addresses are payees like any other then. Not while a rule names it.',
    params: listParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'state_conflict'],
    example: { params: { list_id: listExample.list_id } },
    run: ({ params }, context) => lists.delete(params.list_id, context),
    present: () => undefined,
  });
