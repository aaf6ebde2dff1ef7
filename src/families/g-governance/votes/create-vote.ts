import { z } from 'zod';
import { MAX_PROOF_LENGTH } from '../../../core/governance/signed-text.ts';
import { SIDES } from '../../../core/governance/tally.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Votes } from '../../../services/governance/votes.ts';
import { namedRequest } from '../../fields.ts';
import { proposalParams } from '../proposals/proposal-answer.ts';
import { vote, voteExample } from './vote-answer.ts';

export const createVote = (votes: Votes) =>
  operation({
    id: 'vote.create',
    family: 'g',
    method: 'POST',
    path: '/v1/governance/proposals/{id}/vote',
    summary: 'Vote on a proposal',
    description:
      'With as much power as one has at the snapshot: one’s own, what one delegated, and what others delegate. The last vote of a holder ' +
      'counts; one with `voting_power` 0 withdraws it. What shows that it is the holder’s is kept: the signature of the request, or a BIP322 `signature` by ' +
      'the address that the holder had at the snapshot, over the text of `GET /v1/governance/proposals/{id}/vote-text`.',
    tag: 'Governance',
    effect: 'write',
    access: { scope: 'governance:write', role: 'operator' },
    params: proposalParams,
    body: namedRequest('VoteRequest', {
      vote: z.enum(SIDES),
      voting_power: z
        .number()
        .refine(
          (value) => Number.isSafeInteger(value) && value >= 0,
          'must be a whole number from 0 to 9007199254740991',
        )
        .meta({ description: 'Whole tokens', type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      signature: z
        .string()
        .min(1, 'must not be empty')
        .max(MAX_PROOF_LENGTH, `must have at most ${MAX_PROOF_LENGTH} characters`)
        .optional()
        .meta({ description: 'BIP322, base64, behind its prefix where it has one' }),
    }),
    success: { status: 201, answer: vote, description: 'The vote' },
    errors: ['not_found', 'state_conflict', 'insufficient_funds', 'too_large', 'invalid_signature'],
    example: {
      params: { id: voteExample.proposal_id },
      body: { vote: 'for', voting_power: 1_200 },
      response: voteExample,
    },
    run: ({ params, body: { voting_power, ...ballot }, sent }, context) =>
      votes.cast({ proposalId: params.id, power: BigInt(voting_power), ...ballot, sent }, context),
  });
