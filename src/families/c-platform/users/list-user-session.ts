import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { userExample, userParams } from '../../users/user-answer.ts';
import { session, sessionExample } from './session-answer.ts';

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
    success: { status: 200, answer: paginated(session), description: 'A page of sessions, newest first' },
    errors: ['not_found'],
    example: {
      params: { user_id: userExample.user_id },
      response: pageExample(sessionExample),
    },
    run: ({ params, query: page }, context) => sessions.list(params.user_id, pageOf(page), context),
  });
