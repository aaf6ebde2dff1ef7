import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { UserServices } from '../../../services/users/index.ts';
import { user, userExample } from '../../users/user-answer.ts';
import { own } from './auth-fields.ts';

export const confirmAuthEmail = (confirmation: UserServices['emailConfirmation']) =>
  operation({
    ...own,
    id: 'auth-email.confirm',
    method: 'POST',
    path: '/api/v1/auth/email/confirm',
    summary: "Confirm one's own address",
    description: 'With the code that was mailed to it. Another address must be confirmed anew.',
    effect: 'write',
    access: { scope: 'auth:write', role: 'viewer', own: true },
    changesRules: false,
    secretBody: true,
    body: z.strictObject({ code: z.string().regex(/^[0-9A-Za-z]{12}$/, 'must be the 12 characters of the mail') }),
    success: { status: 200, answer: user, description: 'The person, with `email_verified`' },
    errors: ['state_conflict'],
    example: { body: { code: '0AbC1dEf2gHi' }, response: userExample },
    run: ({ body }, context) => confirmation.confirm(body.code, context),
  });
