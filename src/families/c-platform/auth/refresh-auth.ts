import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { exchange, NO_STORE, refreshTokenField } from './auth-fields.ts';
import { tokens, tokensExample } from './tokens-answer.ts';

export const refreshAuth = (refresh: UserServices['refresh']) =>
  operation({
    ...exchange,
    id: 'auth.refresh',
    path: '/api/v1/auth/refresh',
    summary: 'Get the next access token',
    description:
      'A refresh token is good once. Sent again within ten seconds it answers the same next one; later, its whole session ends, ' +
      'because one of two who have it stole it.',
    body: z.strictObject({ refresh_token: refreshTokenField }),
    success: { status: 200, answer: tokens, headers: NO_STORE, description: 'The next tokens' },
    errors: ['unauthorized', 'forbidden'],
    example: { body: { refresh_token: tokensExample.refresh_token }, response: tokensExample },
    run: ({ body }, context) => refresh.refresh(body.refresh_token, context),
  });
