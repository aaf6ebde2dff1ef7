import { operation } from '../../../hooks/operation.ts';
import type { AiBudgets } from '../../../services/inference/manage-budgets.ts';
import { apiKeyExample, apiKeyParams } from '../api-keys/api-key-answer.ts';
import { aiBudget, aiBudgetExample } from './ai-budget-answer.ts';

export const getAiBudget = (budgets: Pick<AiBudgets, 'get'>) =>
  operation({
    id: 'ai-budget.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/api-keys/{api_key_id}/ai-budget',
    summary: 'What an API key may spend on models, and has spent',
    description:
      'A key and those that it was rotated to have one budget together. [Guide](/docs/ai#budgets-and-usage).',
    tag: 'Usage',
    effect: 'read',
    access: { scope: 'ai-budgets:read', role: 'operator' },
    params: apiKeyParams,
    success: { status: 200, answer: aiBudget, description: 'The budget' },
    errors: ['not_found'],
    example: { params: { api_key_id: apiKeyExample.api_key_id }, response: aiBudgetExample },
    run: ({ params }, context) => budgets.get(params.api_key_id, context),
  });
