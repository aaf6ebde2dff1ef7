import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { userExample, userParams } from '../../users/user-answer.ts';
import { sessionExample, sessionIdField } from './session-answer.ts';

export const endUserSession = (sessions: UserServices['sessions']) =>
  operation({
    id: 'user-session.end',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/users/{user_id}/sessions/{session_id}',
    summary: "End a user's session",
    description: 'Its access token and refresh token are refused from then on.',
    tag: 'Users',
    effect: 'write',
    access: { scope: 'users:write', role: 'admin', own: 'user_id' },
    changesRules: false,
    params: z.strictObject({ ...userParams.shape, session_id: sessionIdField }),
    success: { status: 204, schema: z.undefined(), description: 'Ended' },
    errors: ['not_found'],
    example: { params: { user_id: userExample.user_id, session_id: sessionExample.session_id } },
    run: ({ params }, context) => sessions.end({ userId: params.user_id, sessionId: params.session_id }, context),
    present: () => undefined,
  });
