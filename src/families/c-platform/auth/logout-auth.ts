import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { exchange, refreshTokenField } from './auth-fields.ts';
import { tokensExample } from './tokens-answer.ts';

export const logoutAuth = (refresh: UserServices['refresh']) =>
  operation({
    ...exchange,
    id: 'auth.logout',
    path: '/api/v1/auth/logout',
    summary: 'Log out',
    description:
      'Ends the session of a refresh token, its access token too. Of an unknown one there is nothing to end: 204 as well.',
    body: z.strictObject({ refresh_token: refreshTokenField }),
    success: { status: 204, schema: z.undefined(), description: 'Ended' },
    example: { body: { refresh_token: tokensExample.refresh_token } },
    run: ({ body }, context) => refresh.logout(body.refresh_token, context),
    present: () => undefined,
  });
