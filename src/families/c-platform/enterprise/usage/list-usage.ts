import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import { FLUSH_EVERY_MS, KEPT_DAYS, type Usage, type UsageDay } from '../../../../services/usage/usage.ts';
import { amount, answer, pageExample, paginated } from '../../../answer.ts';
import { pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';

const usageDay = answer(
  'UsageDay',
  {
    day: z.iso.date().meta({ description: 'UTC' }),
    credential_id: z.string().meta({ description: 'An API key, OAuth client or user' }),
    requests: z.int(),
    refusals: z.int().meta({ description: 'Of the requests those that were answered with a status of 400 to 499' }),
    payments: z
      .int()
      .meta({ description: 'Payments out of the account that it made, without those that came to nothing' }),
    volume: amount.meta({ description: 'What they paid, without fees, BTC' }),
  },
  ({ day }: UsageDay) => ({ day: new Date(day).toISOString().slice(0, 10) }),
);

const dayField = z.iso
  .date('must be a day such as 2026-11-24')
  .transform((day) => Date.parse(`${day}T00:00:00Z`))
  .optional();

export const listUsage = (usage: Pick<Usage, 'list'>) =>
  operation({
    family: 'c',
    id: 'usage.list',
    method: 'GET',
    path: '/api/v1/enterprise/usage',
    summary: 'What each credential uses, by day',
    description:
      `Days on which a credential asked for something. Requests are written every ${FLUSH_EVERY_MS / 1000} s: so much is missing of now, and is ` +
      `lost where the service is killed. Kept for ${KEPT_DAYS} days.`,
    tag: 'Usage',
    effect: 'read',
    access: { scope: 'usage:read', role: 'operator' },
    query: z.strictObject({
      ...pageQuery,
      credential_id: z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters').optional(),
      from: dayField.meta({ description: 'The first day' }),
      to: dayField.meta({ description: 'The last day' }),
    }),
    success: { status: 200, answer: paginated(usageDay), description: 'A page of days, the latest first' },
    example: {
      query: { from: '2026-11-01', to: '2026-11-30' },
      response: pageExample({
        day: '2026-11-24',
        credential_id: 'key_5nQe0wTzXk8uGm2LrVb7Yd',
        requests: 1_204,
        refusals: 3,
        payments: 17,
        volume: '0.42000000',
      }),
    },
    run: ({ query: { credential_id: credentialId, from, to, ...page } }, context) =>
      usage.list(omitUndefined({ credentialId, from, to }), pageOf(page), context),
  });
