import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Executions } from '../../../services/governance/execution.ts';
import { idField } from '../../fields.ts';
import { executedExample, proposal } from '../proposals/proposal-answer.ts';

export const executeDao = (executions: Executions) =>
  operation({
    id: 'dao.execute',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/dao/execute/{proposal_id}',
    summary: 'Execute a passed proposal',
    description:
      'After its timelock and within its window, once. What pays takes the scope `transactions:write`, too. A payment of the treasury is judged by the rules with its proposer and whoever executes it ' +
      'as initiators, and may wait for approvals: `execution.status` is awaiting_approval then. What failed can be executed again. Where ' +
      '`policy_change` of the enterprise config is set, what changes rules waits for approval.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'admin' },
    spends: ['treasury_spend', 'payment'],
    changesRules: { present: (change: object) => change },
    params: z.strictObject({ proposal_id: idField('prp') }),
    success: { status: 200, answer: proposal, description: 'The proposal' },
    errors: [
      ...([
        'not_found',
        'state_conflict',
        'insufficient_funds',
        'invalid_value',
        'too_large',
        'signing_unavailable',
      ] as const),
      ...(['nothing_to_spend', 'dust', 'fee_too_high', 'fee_too_low', 'no_fee_estimate', 'coin_unavailable'] as const),
      ...(['too_many_ancestors', 'truc_violation', 'node_unavailable', 'node_syncing', 'unavailable'] as const),
      ...(['invalid_address', 'wrong_network'] as const),
    ],
    example: { params: { proposal_id: executedExample.id }, response: executedExample },
    run: ({ params }, context) => executions.execute(params.proposal_id, context),
  });
