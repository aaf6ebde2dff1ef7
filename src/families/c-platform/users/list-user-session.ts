import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { pageQuery, paginationAnswer, presentPage } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { presentSession, sessionAnswer, sessionExample } from './session-answer.ts';
import { userExample, userParams } from './user-answer.ts';

export const listUserSession = (sessions: UserServices['sessions']) =>
  operation({
    id: 'user-session.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/users/{user_id}/sessions',
    summary: "A user's sessions",
    tag: 'Users',
    effect: 'read',
    access: { scope: 'users:read', role: 'admin', own: 'user_id' },
    params: userParams,
    query: z.strictObject(pageQuery),
    success: { status: 200, schema: paginationAnswer(sessionAnswer), description: 'A page of sessions, newest first' },
    errors: ['not_found'],
    example: {
      params: { user_id: userExample.user_id },
      response: {
        data: [sessionExample],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ params, query: page }, context) => sessions.list(params.user_id, pageOf(page), context),
    present: (page) => presentPage(page, presentSession),
  });
