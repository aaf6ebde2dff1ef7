import { operation } from '../../../hooks/operation.ts';
import type { Proposals } from '../../../services/governance/proposals.ts';
import { proposal, proposalExample, proposalRequest, proposalRequestExample } from './proposal-answer.ts';

export const createProposal = (proposals: Proposals) =>
  operation({
    id: 'proposal.create',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/proposals',
    summary: 'Propose something to the DAO',
    description:
      'Takes a balance of `proposal_threshold` tokens. Voting begins at once and ends after `voting_period_hours`; power is what holders have now.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    body: proposalRequest,
    success: { status: 201, answer: proposal, description: 'The proposal' },
    errors: [
      ...(['unsupported', 'insufficient_funds', 'rate_limited', 'state_conflict', 'not_found', 'too_large'] as const),
      ...(['invalid_address', 'wrong_network'] as const),
    ],
    example: {
      body: proposalRequestExample,
      response: { ...proposalExample, votes_for: 0, votes_against: 0, voters: 0 },
    },
    run: ({ body }, context) => proposals.create(body, context),
  });
