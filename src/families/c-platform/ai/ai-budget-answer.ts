/** Budgets of models and what is used of them, on the wire: money as US dollars with 6 decimals. */
import { z } from 'zod';
import { type BudgetLimits, formatUsd } from '../../../core/inference/budget.ts';
import type { ShownBudget } from '../../../services/inference/manage-budgets.ts';
import { answer, time } from '../../answer.ts';
import { namedRequest } from '../../fields.ts';

const USD = /^(0|[1-9]\d{0,8})(\.\d{1,6})?$/;
const DECIMALS = 6;

export const usd = z.string().meta({ description: 'US dollars with 6 decimals', examples: ['12.500000'] });

const tokensField = z
  .int('must be a whole number of tokens, or null')
  .min(0, 'must be at least 0')
  .max(1_000_000_000_000, 'must be at most 1000000000000')
  .nullable()
  .default(null)
  .meta({ description: 'Of prompts and answers together. Default: null, no limit' });
const usdField = z
  .string()
  .regex(USD, 'must be US dollars as a decimal string such as "25.00", at most 6 decimals and 999999999')
  .transform((text) => {
    const [whole = '0', decimals = ''] = text.split('.');
    return BigInt(whole + decimals.padEnd(DECIMALS, '0'));
  })
  .nullable()
  .default(null)
  .meta({ description: 'US dollars. Default: null, no limit' });

export const aiBudgetRequest = namedRequest('AiBudgetRequest', {
  tokens_per_day: tokensField,
  tokens_per_month: tokensField,
  usd_per_day: usdField,
  usd_per_month: usdField,
});

const orNull = (tokens: number | null): bigint | null => (tokens === null ? null : BigInt(tokens));
export const limitsOf = (given: z.output<typeof aiBudgetRequest>): BudgetLimits => ({
  tokensPerDay: orNull(given.tokens_per_day),
  tokensPerMonth: orNull(given.tokens_per_month),
  microsPerDay: given.usd_per_day,
  microsPerMonth: given.usd_per_month,
});

const usdOrNull = (micros: bigint | null): string | null => (micros === null ? null : formatUsd(micros));
const numberOrNull = (tokens: bigint | null): number | null => (tokens === null ? null : Number(tokens));

export const aiBudget = answer(
  'AiBudget',
  {
    tokens_per_day: z.int().nullable(),
    tokens_per_month: z.int().nullable(),
    usd_per_day: usd.nullable(),
    usd_per_month: usd.nullable(),
    used: z
      .object({ tokens_today: z.int(), tokens_this_month: z.int(), usd_today: usd, usd_this_month: usd })
      .meta({ description: 'Of this day and month (UTC), with the most that calls under way may take' }),
    updated_at: time.nullable().meta({ description: 'null: no limit is set' }),
  },
  (budget: ShownBudget) => ({
    tokens_per_day: numberOrNull(budget.tokensPerDay),
    tokens_per_month: numberOrNull(budget.tokensPerMonth),
    usd_per_day: usdOrNull(budget.microsPerDay),
    usd_per_month: usdOrNull(budget.microsPerMonth),
    used: {
      ...{ tokens_today: Number(budget.dayTokens), tokens_this_month: Number(budget.monthTokens) },
      ...{ usd_today: formatUsd(budget.dayMicros), usd_this_month: formatUsd(budget.monthMicros) },
    },
  }),
);

export const aiBudgetExample = {
  ...{ tokens_per_day: null, tokens_per_month: 5_000_000, usd_per_day: '5.000000', usd_per_month: '100.000000' },
  used: { tokens_today: 18_204, tokens_this_month: 402_118, usd_today: '0.214050', usd_this_month: '4.771200' },
  updated_at: '2026-11-28T12:00:00.000Z',
};
