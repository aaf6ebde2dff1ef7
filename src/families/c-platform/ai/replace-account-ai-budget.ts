import { operation } from '../../../hooks/operation.ts';
import type { AiBudgets } from '../../../services/inference/manage-budgets.ts';
import { aiBudget, aiBudgetExample, aiBudgetRequest, limitsOf } from './ai-budget-answer.ts';

export const replaceAccountAiBudget = (budgets: Pick<AiBudgets, 'replace'>) =>
  operation({
    id: 'account-ai-budget.replace',
    family: 'c',
    method: 'PUT',
    path: '/api/v1/ai/budget',
    summary: 'Set what the account may spend on models',
    description:
      'All its credentials together, besides the budgets of API keys. The whole of it: what is left out has no limit. A key with a budget of ' +
      'its own sets it only with may_grant. [Guide](/docs/ai#budgets-and-usage).',
    tag: 'Usage',
    effect: 'write',
    changesRules: false,
    access: { scope: 'ai-budgets:write', role: 'admin' },
    body: aiBudgetRequest,
    success: { status: 200, answer: aiBudget, description: 'It holds from the next call on' },
    example: { body: { usd_per_month: '100.00' }, response: aiBudgetExample },
    run: ({ body }, context) => budgets.replace(null, limitsOf(body), context),
  });
