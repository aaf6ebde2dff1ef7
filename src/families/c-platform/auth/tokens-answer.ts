import { z } from 'zod';
import type { Tokens } from '../../../services/users/index.ts';
import { answer, time } from '../../answer.ts';
import { user, userExample } from '../../users/user-answer.ts';

/** RFC 6749 §5.1, and what a dashboard wants to know at once. */
export const tokens = answer(
  'Tokens',
  {
    access_token: z.string().meta({ description: 'JWT; send it as Authorization: Bearer' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds that the access token lives' }),
    refresh_token: z.string().meta({ description: 'Good once: POST /api/v1/auth/refresh answers the next' }),
    refresh_expires_at: time,
    session_id: z.string(),
    signing_key_id: z
      .string()
      .nullable()
      .meta({ description: 'The key that signed the login, and may sign changes; null: the token only reads' }),
    user: user.schema,
  },
  ({ expiresInSeconds, boundKeyId }: Tokens) => ({
    token_type: 'Bearer' as const,
    expires_in: expiresInSeconds,
    signing_key_id: boundKeyId,
  }),
);

export const tokensExample = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.AA',
  token_type: 'Bearer' as const,
  expires_in: 900,
  refresh_token: 'rt_0000000000000000000000000000000000000000000',
  refresh_expires_at: '2026-12-20T10:00:00.000Z',
  session_id: 'ses_3mVb1k7Q2xYt9LpRw0Zc5A',
  signing_key_id: null,
  user: userExample,
};
