import { z } from 'zod';
import type { SessionRecord } from '../../../services/users/index.ts';
import { answer, time } from '../../answer.ts';
import { idField } from '../../fields.ts';

export const sessionIdField = idField('ses');

export const session = answer(
  'Session',
  {
    session_id: z.string(),
    method: z.enum(['password', 'reset', 'sso']),
    signing_key_id: z
      .string()
      .nullable()
      .meta({ description: 'The key that signed the login, and may sign changes; null: the session only reads' }),
    remote_address: z.string(),
    created_at: time,
    last_used_at: time.meta({ description: 'The last login or refresh' }),
    expires_at: time,
  },
  ({ boundKeyId }: SessionRecord) => ({ signing_key_id: boundKeyId }),
);

export const sessionExample = {
  session_id: 'ses_3mVb1k7Q2xYt9LpRw0Zc5A',
  method: 'password' as const,
  signing_key_id: null,
  remote_address: '203.0.113.7',
  created_at: '2026-11-20T10:00:00.000Z',
  last_used_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-12-20T10:00:00.000Z',
};
