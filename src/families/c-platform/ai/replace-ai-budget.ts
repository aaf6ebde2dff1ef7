import { operation } from '../../../hooks/operation.ts';
import type { AiBudgets } from '../../../services/inference/manage-budgets.ts';
import { apiKeyExample, apiKeyParams } from '../api-keys/api-key-answer.ts';
import { aiBudget, aiBudgetExample, aiBudgetRequest, limitsOf } from './ai-budget-answer.ts';

export const replaceAiBudget = (budgets: Pick<AiBudgets, 'replace'>) =>
  operation({
    id: 'ai-budget.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/api-keys/{api_key_id}/ai-budget',
    summary: 'Set what an API key may spend on models',
    description:
      'The whole of it: what is left out has no limit. By an administrator who has its role and scopes, and no budget or may_grant: a key ' +
      'with a budget changes none, and makes no credentials. [Guide](/docs/ai#budgets-and-usage).',
    tag: 'Usage',
    effect: 'write',
    changesRules: false,
    access: { scope: 'ai-budgets:write', role: 'admin' },
    params: apiKeyParams,
    body: aiBudgetRequest,
    success: { status: 200, answer: aiBudget, description: 'It holds from the next call on' },
    errors: ['not_found'],
    example: {
      params: { api_key_id: apiKeyExample.api_key_id },
      body: { usd_per_day: '5.00', usd_per_month: '100.00', tokens_per_month: 5_000_000 },
      response: aiBudgetExample,
    },
    run: ({ params, body }, context) => budgets.replace(params.api_key_id, limitsOf(body), context),
  });
