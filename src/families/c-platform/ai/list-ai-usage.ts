import { z } from 'zod';
import { formatUsd } from '../../../core/inference/budget.ts';
import { operation } from '../../../hooks/operation.ts';
import type { AiBudgets, AiUsage } from '../../../services/inference/manage-budgets.ts';
import { answer, pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';
import { usd } from './ai-budget-answer.ts';

const aiUsage = answer(
  'AiUsage',
  {
    period: z.enum(['day', 'month']),
    starts_on: z.iso.date().meta({ description: 'UTC' }),
    credential_id: z.string(),
    model: z.string().meta({ description: 'As it was asked for' }),
    calls: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost: usd.meta({ description: 'US dollars, of each call rounded up to a millionth' }),
  },
  ({ span, startsAt, promptTokens, completionTokens, micros }: AiUsage) => ({
    period: span,
    starts_on: new Date(startsAt).toISOString().slice(0, 10),
    prompt_tokens: Number(promptTokens),
    completion_tokens: Number(completionTokens),
    cost: formatUsd(micros),
  }),
);

const dayField = z.iso
  .date('must be a day such as 2026-11-24')
  .transform((day) => Date.parse(`${day}T00:00:00Z`))
  .optional();

export const listAiUsage = (budgets: Pick<AiBudgets, 'usage'>) =>
  operation({
    id: 'ai-usage.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/ai/usage',
    summary: 'What credentials use of models, by day or month',
    description: 'Of calls that have ended. Kept for 400 days. [Guide](/docs/ai#budgets-and-usage).',
    tag: 'Usage',
    effect: 'read',
    access: { scope: 'usage:read', role: 'operator' },
    query: z.strictObject({
      ...pageQuery,
      period: z.enum(['day', 'month'], 'must be day or month').default('day'),
      credential_id: z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters').optional(),
      model: z.string().min(1, 'must not be empty').max(256, 'must have at most 256 characters').optional(),
      from: dayField.meta({ description: 'Days or months that start on this day or later' }),
      to: dayField.meta({ description: 'Days or months that start on this day or earlier' }),
    }),
    success: { status: 200, answer: paginated(aiUsage), description: 'A page, the latest first' },
    example: {
      query: { period: 'day', from: '2026-11-01', to: '2026-11-30' },
      response: pageExample({
        ...{ period: 'day' as const, starts_on: '2026-11-28', credential_id: 'key_5nQe0wTzXk8uGm2LrVb7Yd' },
        ...{ model: 'gpt-4o-mini', calls: 42, prompt_tokens: 12_800, completion_tokens: 5_404, cost: '0.005163' },
      }),
    },
    run: ({ query: { period, credential_id: credentialId, model, from, to, ...page } }, context) =>
      budgets.usage({ span: period, ...omitUndefined({ credentialId, model, from, to }) }, pageOf(page), context),
  });
