import { operation } from '../../../hooks/operation.ts';
import type { AiBudgets } from '../../../services/inference/manage-budgets.ts';
import { aiBudget, aiBudgetExample } from './ai-budget-answer.ts';

export const getAccountAiBudget = (budgets: Pick<AiBudgets, 'get'>) =>
  operation({
    id: 'account-ai-budget.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/ai/budget',
    summary: 'What the account may spend on models, and has spent',
    description: 'All its credentials together. [Guide](/docs/ai#budgets-and-usage).',
    tag: 'Usage',
    effect: 'read',
    access: { scope: 'ai-budgets:read', role: 'operator' },
    success: { status: 200, answer: aiBudget, description: 'The budget' },
    example: { response: aiBudgetExample },
    run: (_, context) => budgets.get(null, context),
  });
