import { operation } from '../../../hooks/operation.ts';
import type { Proposals } from '../../../services/governance/proposals.ts';
import { proposal, proposalExample, proposalParams } from './proposal-answer.ts';

export const getProposal = (proposals: Proposals) =>
  operation({
    id: 'proposal.get',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/proposals/{id}',
    summary: 'A proposal',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    params: proposalParams,
    success: { status: 200, answer: proposal, description: 'The proposal' },
    errors: ['not_found'],
    example: { params: { id: proposalExample.id }, response: proposalExample },
    run: ({ params }, context) => proposals.get(params.id, context),
  });
