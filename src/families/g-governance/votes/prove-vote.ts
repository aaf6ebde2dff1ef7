import { z } from 'zod';
import { SIDES } from '../../../core/governance/tally.ts';
import type { VoteClaim } from '../../../core/governance/vote-text.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Votes } from '../../../services/governance/votes.ts';
import { answer } from '../../answer.ts';
import { integerQuery } from '../../fields.ts';
import { proposalParams } from '../proposals/proposal-answer.ts';

const voteText = answer(
  'VoteText',
  {
    text: z.string().meta({ description: 'What the key of the address signs' }),
    address: z.string().meta({ description: 'That the holder had at the snapshot' }),
    revision: z.int(),
    snapshot: z.string().meta({ description: 'Merkle root, hex' }),
  },
  (_: VoteClaim & { readonly address: string; readonly text: string }) => ({}),
);

const snapshot = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d';

export const proveVote = (votes: Votes) =>
  operation({
    id: 'vote.prove',
    family: 'g',
    method: 'GET',
    path: '/v1/governance/proposals/{id}/vote-text',
    summary: 'What to sign to vote by a Bitcoin address',
    description:
      'The text of the next vote of whoever asks. It is signed by the address that they had when the proposal was made (BIP322).',
    tag: 'Governance',
    effect: 'read',
    access: { scope: 'governance:read', role: 'viewer' },
    params: proposalParams,
    query: z.strictObject({ vote: z.enum(SIDES), voting_power: integerQuery(0, Number.MAX_SAFE_INTEGER) }),
    success: { status: 200, answer: voteText, description: 'The text' },
    errors: ['not_found', 'state_conflict'],
    example: {
      params: { id: 'prp_7hRm3Kc9WvXa2TyQn5LpZd' },
      query: { vote: 'for', voting_power: '1200' },
      response: {
        text:
          'ashlar-governance-vote\ndao: acc_6pNw2LmQ9vXcT4yHn6PzRa\nnetwork: regtest\nproposal: prp_7hRm3Kc9WvXa2TyQn5LpZd\n' +
          `vote: for\npower: 1200\nrevision: 1\nsnapshot: ${snapshot}`,
        address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        revision: 1,
        snapshot,
      },
    },
    run: ({ params, query: { vote, voting_power } }, context) =>
      votes.text({ proposalId: params.id, vote, power: BigInt(voting_power) }, context),
  });
