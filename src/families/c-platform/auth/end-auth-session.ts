import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { sessionExample, sessionIdField } from '../users/session-answer.ts';
import { own } from './auth-fields.ts';

export const endAuthSession = (sessions: UserServices['sessions']) =>
  operation({
    ...own,
    id: 'auth-session.end',
    method: 'DELETE',
    path: '/api/v1/auth/sessions/{session_id}',
    summary: "End one of one's own sessions",
    description: 'Its access token and refresh token are refused from then on.',
    effect: 'write',
    access: { scope: 'auth:write', role: 'viewer', own: true },
    changesRules: false,
    params: z.strictObject({ session_id: sessionIdField }),
    success: { status: 204, schema: z.undefined(), description: 'Ended' },
    errors: ['not_found'],
    example: { params: { session_id: sessionExample.session_id } },
    run: ({ params }, context) =>
      sessions.end({ userId: context.credential.id, sessionId: params.session_id }, context),
    present: () => undefined,
  });
