import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { pageQuery, paginationAnswer, presentPage } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { presentSession, sessionAnswer, sessionExample } from '../users/session-answer.ts';
import { own } from './auth-fields.ts';

const answer = z.object({
  ...sessionAnswer.shape,
  current: z.boolean().meta({ description: 'The session of the token that asks' }),
});

export const listAuthSession = (sessions: UserServices['sessions']) =>
  operation({
    ...own,
    id: 'auth-session.list',
    method: 'GET',
    path: '/api/v1/auth/sessions',
    summary: "One's own sessions",
    effect: 'read',
    access: { scope: 'auth:read', role: 'viewer', own: true },
    query: z.strictObject(pageQuery),
    success: { status: 200, schema: paginationAnswer(answer), description: 'A page of sessions, newest first' },
    example: {
      response: {
        data: [{ ...sessionExample, current: true }],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: async ({ query: page }, context) => ({
      page: await sessions.list(context.credential.id, pageOf(page), context),
      current: context.credential.sessionId,
    }),
    present: ({ page, current }) =>
      presentPage(page, (session) => ({ ...presentSession(session), current: session.sessionId === current })),
  });
