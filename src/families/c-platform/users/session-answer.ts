import { z } from 'zod';
import type { SessionRecord } from '../../../services/users/index.ts';
import { idField, namedObject, timeAnswer } from '../../fields.ts';

export const sessionIdField = idField('ses');

export const sessionAnswer = namedObject('Session', {
  session_id: z.string(),
  method: z.enum(['password', 'reset', 'sso']),
  signing_key_id: z
    .string()
    .nullable()
    .meta({ description: 'The key that signed the login, and may sign changes; null: the session only reads' }),
  remote_address: z.string(),
  created_at: timeAnswer,
  last_used_at: timeAnswer.meta({ description: 'The last login or refresh' }),
  expires_at: timeAnswer,
});

export const presentSession = (session: SessionRecord): z.output<typeof sessionAnswer> => ({
  session_id: session.sessionId,
  method: session.method,
  signing_key_id: session.boundKeyId,
  remote_address: session.remoteAddress,
  created_at: new Date(session.createdAt).toISOString(),
  last_used_at: new Date(session.lastUsedAt).toISOString(),
  expires_at: new Date(session.expiresAt).toISOString(),
});

export const sessionExample = {
  session_id: 'ses_3mVb1k7Q2xYt9LpRw0Zc5A',
  method: 'password' as const,
  signing_key_id: null,
  remote_address: '203.0.113.7',
  created_at: '2026-11-20T10:00:00.000Z',
  last_used_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-12-20T10:00:00.000Z',
};
