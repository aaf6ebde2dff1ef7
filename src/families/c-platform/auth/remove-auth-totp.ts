import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { own, totpField } from './auth-fields.ts';

export const removeAuthTotp = (secondFactors: UserServices['secondFactors']) =>
  operation({
    ...own,
    id: 'auth-totp.remove',
    method: 'DELETE',
    path: '/api/v1/auth/totp',
    summary: "Remove one's second factor",
    description: 'With a code of it, or a recovery code. Who has neither asks an administrator.',
    effect: 'write',
    access: { scope: 'auth:write', role: 'viewer', own: true },
    changesRules: false,
    secretBody: true,
    body: z.strictObject({ totp: totpField }),
    success: { status: 204, schema: z.undefined(), description: 'Removed' },
    errors: ['state_conflict', 'rate_limited'],
    example: { body: { totp: '123456' } },
    run: ({ body }, context) => secondFactors.remove(body.totp, context),
    present: () => undefined,
  });
