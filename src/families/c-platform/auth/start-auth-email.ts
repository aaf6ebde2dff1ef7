import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { SentCode, UserServices } from '../../../services/users/index.ts';
import { answer, time } from '../../answer.ts';
import { userExample } from '../../users/user-answer.ts';
import { own } from './auth-fields.ts';

const sentCode = answer('SentCode', { email: z.string(), expires_at: time }, (_: SentCode) => ({}));

export const startAuthEmail = (confirmation: UserServices['emailConfirmation']) =>
  operation({
    ...own,
    id: 'auth-email.start',
    method: 'POST',
    path: '/api/v1/auth/email',
    summary: "Mail a code to one's own address",
    description:
      'Good for 24 hours and 5 tries; an earlier one is good no more. At most 3 mails a day to an address, and 20 of an account. See [notifications](/docs/notifications).',
    effect: 'write',
    access: { scope: 'auth:write', role: 'viewer', own: true },
    changesRules: false,
    success: { status: 202, answer: sentCode, description: 'The mail server has taken the mail' },
    errors: ['not_configured', 'state_conflict', 'rate_limited', 'policy_refused', 'unavailable'],
    example: { response: { email: userExample.email, expires_at: '2026-11-21T10:00:00.000Z' } },
    run: (_, context) => confirmation.start(context),
  });
