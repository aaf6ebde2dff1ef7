import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { SessionRecord, UserServices } from '../../../services/users/index.ts';
import { pageExample, paginated, unnamedAnswer } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { session, sessionExample } from '../users/session-answer.ts';
import { own } from './auth-fields.ts';

const ownSession = unnamedAnswer(
  { ...session.shape, current: z.boolean().meta({ description: 'The session of the token that asks' }) },
  (record: SessionRecord) => session.present(record),
);

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
    success: { status: 200, answer: paginated(ownSession), description: 'A page of sessions, newest first' },
    example: {
      response: pageExample({ ...sessionExample, current: true }),
    },
    run: async ({ query }, context) => {
      const page = await sessions.list(context.credential.id, pageOf(query), context);
      const { sessionId } = context.credential;
      return { ...page, data: page.data.map((one) => ({ ...one, current: one.sessionId === sessionId })) };
    },
  });
