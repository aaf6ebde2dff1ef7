import { z } from 'zod';
import { holderAddress } from '../../../core/governance/holder-address.ts';
import { countedOf, SIDES } from '../../../core/governance/tally.ts';
import type { VoteRecord } from '../../../services/governance/votes.ts';
import { answer, time } from '../../answer.ts';
import { EXAMPLE_HOLDER } from '../governance-fields.ts';

const power = z.int().min(0);

const text = (description: string) => z.string().nullable().meta({ description });

const proof = z
  .object({
    kind: z.enum(['request', 'message', 'none']),
    key_id: text('Of a request'),
    base: text('Of a request: signature base of RFC 9421'),
    value: text('Of a request: the signature, Base64'),
    body: text('Of a request, as it was sent'),
    signature: text('Of a message: BIP322 by the holder’s address'),
  })
  .meta({ id: 'VoteProof', description: 'What the holder signed; `none` where the credential need not sign' });

const NO_PROOF = { key_id: null, base: null, value: null, body: null, signature: null };

export const vote = answer(
  'Vote',
  {
    proposal_id: z.string(),
    holder_id: z.string(),
    holder_address: z.string(),
    vote: z.enum(SIDES),
    voting_power: power.meta({ description: 'As it was cast; 0: the vote is withdrawn' }),
    counted: power.meta({ description: 'What it counts for: without what others took back by votes of their own' }),
    own: power.meta({ description: 'Of the power cast: not delegated' }),
    taken_back: power.meta({ description: 'From the holder’s own delegations' }),
    received: power.meta({ description: 'From delegations of others' }),
    revision: z.int().meta({ description: 'Rises with each vote of the holder on the proposal' }),
    proof,
    cast_at: time,
  },
  (record: VoteRecord) => ({
    holder_address: record.holderAddress ?? holderAddress(record.holderId),
    voting_power: Number(record.power),
    counted: Number(countedOf(record)),
    own: Number(record.own),
    taken_back: Number(record.takenBack),
    received: Number(record.received),
    proof: { ...NO_PROOF, ...record.proof },
    cast_at: new Date(record.createdAt).toISOString(),
  }),
);

export const voteExample = {
  proposal_id: 'prp_7hRm3Kc9WvXa2TyQn5LpZd',
  holder_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  holder_address: EXAMPLE_HOLDER,
  vote: 'for',
  voting_power: 1_200,
  counted: 1_150,
  own: 1_000,
  taken_back: 0,
  received: 200,
  revision: 1,
  proof: { kind: 'none', ...NO_PROOF },
  cast_at: '2026-11-28T09:00:00.000Z',
} as const;
