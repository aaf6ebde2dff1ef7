import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Votes } from '../../../services/governance/votes.ts';
import { pageExample, paginated } from '../../answer.ts';
import { idField, pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { vote, voteExample } from './vote-answer.ts';

export const listProposalVote = (votes: Votes) =>
  operation({
    id: 'proposal-vote.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/votes/{proposal_id}',
    summary: 'Votes on a proposal',
    description: 'The last of each holder.',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    params: z.strictObject({ proposal_id: idField('prp') }),
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(vote), description: 'A page of votes, newest first' },
    errors: ['not_found'],
    example: { params: { proposal_id: voteExample.proposal_id }, response: pageExample(voteExample) },
    run: ({ params, query }, context) => votes.on(params.proposal_id, pageOf(query), context),
  });
