import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Votes } from '../../../services/governance/votes.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { vote, voteExample } from './vote-answer.ts';

export const listVote = (votes: Votes) =>
  operation({
    id: 'vote.list',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/votes',
    summary: 'Votes of whoever asks',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(vote), description: 'A page of votes, newest first' },
    example: { query: { limit: '20', offset: '0' }, response: pageExample(voteExample) },
    run: ({ query }, context) => votes.own(pageOf(query), context),
  });
