import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Proposals } from '../../../services/governance/proposals.ts';
import { proposal, proposalExample, proposalParams } from './proposal-answer.ts';

const reason = z.string().trim().min(1, 'must not be empty').max(255, 'must have at most 255 characters');
const REASON = 'Made by mistake';

export const cancelProposal = (proposals: Proposals) =>
  operation({
    id: 'proposal.cancel',
    family: 'g',
    method: 'DELETE',
    path: '/v1/governance/proposals/{id}',
    summary: 'Cancel an active proposal',
    description:
      'By its proposer as long as no vote counts, or by an administrator, who gives a `reason`. It is rejected and stays in the lists.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    params: proposalParams,
    query: z.strictObject({ reason: reason.optional() }),
    success: { status: 200, answer: proposal, description: 'The proposal' },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { id: proposalExample.id },
      query: { reason: REASON },
      response: {
        ...proposalExample,
        ...{ status: 'rejected', ended_at: '2026-11-28T10:00:00.000Z', cancelled_at: '2026-11-28T10:00:00.000Z' },
        cancel_reason: REASON,
      },
    },
    run: ({ params, query }, context) => proposals.cancel(params.id, query, context),
  });
