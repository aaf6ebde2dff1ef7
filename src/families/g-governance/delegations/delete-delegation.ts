import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Delegations } from '../../../services/governance/delegations.ts';
import { delegationExample, delegationParams } from './delegation-answer.ts';

export const deleteDelegation = (delegations: Delegations) =>
  operation({
    id: 'delegation.delete',
    family: 'g',
    method: 'DELETE',
    path: '/v1/governance/tokens/delegations/{delegation_id}',
    summary: 'End a delegation',
    description:
      'It still counts for proposals made before. Administrators can also end those of a holder that was deleted or revoked.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    params: delegationParams,
    success: { status: 204, schema: z.undefined(), description: 'Ended' },
    errors: ['not_found'],
    example: { params: { delegation_id: delegationExample.delegation_id } },
    run: ({ params }, context) => delegations.end(params.delegation_id, context),
    present: () => undefined,
  });
