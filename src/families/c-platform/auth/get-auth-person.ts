import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { RequestContext } from '../../../services/requests/request-context.ts';
import type { UserRecord, UserServices } from '../../../services/users/index.ts';
import { unnamedAnswer } from '../../answer.ts';
import { user, userExample } from '../../users/user-answer.ts';
import { own } from './auth-fields.ts';

const person = unnamedAnswer(
  { ...user.shape, account_id: z.string(), session_id: z.string() },
  ({ user: record }: { user: UserRecord }) => ({ ...user.present(record), account_id: record.accountId }),
);

export const getAuthPerson = (users: UserServices['users']) =>
  operation({
    ...own,
    id: 'auth-person.get',
    method: 'GET',
    path: '/api/v1/auth/me',
    summary: 'Who is logged in',
    effect: 'read',
    access: { scope: 'auth:read', role: 'viewer', own: true },
    success: { status: 200, answer: person, description: 'The person whose token it is' },
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
  });
