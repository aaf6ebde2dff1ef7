import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { RequestContext } from '../../../services/requests/request-context.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { presentUser, userAnswer, userExample } from '../users/user-answer.ts';
import { own } from './auth-fields.ts';

const answer = z.object({ ...userAnswer.shape, account_id: z.string(), session_id: z.string() });

export const getAuthPerson = (users: UserServices['users']) =>
  operation({
    ...own,
    id: 'auth-person.get',
    method: 'GET',
    path: '/api/v1/auth/me',
    summary: 'Who is logged in',
    effect: 'read',
    access: { scope: 'auth:read', role: 'viewer', own: true },
    success: { status: 200, schema: answer, description: 'The person whose token it is' },
    errors: ['not_found'],
    example: {
      response: {
        ...userExample,
        account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A',
        session_id: 'ses_3mVb1k7Q2xYt9LpRw0Zc5A',
      },
    },
    run: async (_, context: RequestContext) => ({
      user: await users.get(context.credential.id, context),
      sessionId: context.credential.sessionId ?? '',
    }),
    present: ({ user, sessionId }) => ({ ...presentUser(user), account_id: user.accountId, session_id: sessionId }),
  });
