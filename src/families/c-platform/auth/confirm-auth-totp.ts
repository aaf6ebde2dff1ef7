import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { unnamedAnswer } from '../../answer.ts';
import { own, totpField } from './auth-fields.ts';

export const confirmAuthTotp = (secondFactors: UserServices['secondFactors']) =>
  operation({
    ...own,
    id: 'auth-totp.confirm',
    method: 'POST',
    path: '/api/v1/auth/totp/confirm',
    summary: 'Put the second factor into force',
    description:
      'With a code of the app. The recovery codes are in this answer and nowhere else; each replaces one code, once.',
    effect: 'write',
    access: { scope: 'auth:write', role: 'viewer', own: true },
    changesRules: false,
    secretAnswer: true,
    secretBody: true,
    body: z.strictObject({ totp: totpField }),
    success: {
      status: 200,
      answer: unnamedAnswer({ recovery_codes: z.array(z.string()) }),
      description: 'In force; the recovery codes, this once',
    },
    errors: ['state_conflict', 'rate_limited'],
    example: { body: { totp: '123456' }, response: { recovery_codes: ['0AbC1dEf2gHi', '3JkL4mNo5pQr'] } },
    run: ({ body }, context) => secondFactors.confirm(body.totp, context),
  });
