import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ScreeningLists } from '../../../services/screening/screening-lists.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { listExample, reading, screeningList } from './screening-list-answer.ts';

export const listScreeningList = (lists: ScreeningLists) =>
  operation({
    ...reading,
    id: 'screening-list.list',
    path: '/api/v1/compliance/screening-lists',
    summary: "The account's screening lists",
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(screeningList), description: 'A page of lists, newest first' },
    example: { query: { limit: '20' }, response: pageExample(listExample) },
    run: ({ query }, context) => lists.page(pageOf(query), context),
  });
