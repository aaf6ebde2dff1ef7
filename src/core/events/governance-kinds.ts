/** What is told of an account's DAO: each kind has its own members, and is a type of messages of /v1/governance/ws. */
import { z } from 'zod';
import { EXECUTION_STATUSES } from '../governance/execution.ts';
import { PROPOSAL_STATUSES } from '../governance/proposal-outcome.ts';
import { SIDES } from '../governance/tally.ts';

const power = z.int().min(0);
const amount = z.string().meta({ description: 'Tokens, with 8 decimals' });

const FIELDS = z.strictObject({
  proposal_id: z.string(),
  title: z.string(),
  type: z.string().meta({ description: 'Of the proposal' }),
  proposer_id: z.string().meta({ description: 'A holder, as `holder_id` and `delegate_id` are' }),
  status: z.enum(PROPOSAL_STATUSES),
  expires_at: z.iso.datetime(),
  votes_for: power,
  votes_against: power,
  reason: z.string().nullable().meta({ description: 'Why it was cancelled, or its execution failed' }),
  execution_status: z
    .enum(EXECUTION_STATUSES)
    .nullable()
    .meta({ description: 'null where the proposal was rejected by the vote' }),
  approval_id: z.string().nullable().meta({ description: 'What the execution waits, or waited, for' }),
  txid: z.string().nullable().meta({ description: 'Of the payment, where the proposal spends' }),
  holder_id: z.string(),
  vote: z.enum(SIDES),
  voting_power: power.meta({ description: 'As it was cast; 0: the vote is withdrawn' }),
  revision: z.int().min(1).meta({ description: 'Which vote of this holder on this proposal it is' }),
  delegation_id: z.string(),
  delegate_id: z.string(),
  amount,
  revoked: z.boolean(),
  wallet_id: z.string().nullable().meta({ description: 'The wallet that is the treasury' }),
});

/** Types the example by the members. */
const kind = <Data extends z.ZodObject>(summary: string, data: Data, example: z.input<Data>) => ({
  ...{ summary, data, example },
});

const PROPOSAL = { proposal_id: 'prp_7hRm3Kc9WvXa2TyQn5LpZd' };
const HOLDER = 'usr_3mVb1k7Q2xYt9LpRw0Zc5A';

export const GOVERNANCE_KINDS = {
  proposal_created: kind(
    'A proposal can be voted on',
    FIELDS.pick({ proposal_id: true, title: true, type: true, proposer_id: true, status: true, expires_at: true }),
    {
      ...{ ...PROPOSAL, title: 'A longer time to vote', type: 'parameter_change', proposer_id: HOLDER },
      ...{ status: 'active', expires_at: '2026-12-01T09:00:00.000Z' },
    },
  ),
  proposal_updated: kind(
    'A proposal passed, was rejected or cancelled, or its execution became ready, waits for approval, failed or expired',
    FIELDS.pick({
      ...{ proposal_id: true, status: true, votes_for: true, votes_against: true, reason: true },
      ...{ execution_status: true, txid: true, approval_id: true },
    }),
    {
      ...{ ...PROPOSAL, status: 'passed', votes_for: 640_000, votes_against: 12_000, reason: null },
      ...{ execution_status: 'waiting_timelock', txid: null, approval_id: null },
    },
  ),
  vote_cast: kind(
    'A holder voted, changed the vote or withdrew it',
    FIELDS.pick({
      ...{ proposal_id: true, holder_id: true, vote: true, voting_power: true, revision: true },
      ...{ votes_for: true, votes_against: true },
    }),
    {
      ...{ ...PROPOSAL, holder_id: HOLDER, vote: 'for', voting_power: 1_200, revision: 1 },
      ...{ votes_for: 641_200, votes_against: 12_000 },
    },
  ),
  proposal_executed: kind(
    'What a passed proposal says is done; a payment is signed and committed',
    FIELDS.pick({ proposal_id: true, type: true, execution_status: true, txid: true, approval_id: true }),
    {
      ...{ ...PROPOSAL, type: 'treasury_spend', execution_status: 'executed', approval_id: null },
      txid: '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2',
    },
  ),
  delegation_changed: kind(
    'A holder delegated tokens, or took them back',
    FIELDS.pick({ delegation_id: true, holder_id: true, delegate_id: true, amount: true, revoked: true }),
    {
      ...{ delegation_id: 'dlg_2kVb8Nw4QxYt7LpRm1Zc6D', holder_id: HOLDER, delegate_id: 'key_6pNw2LmQ9vXcT4yHn6PzRa' },
      ...{ amount: '250.50000000', revoked: false },
    },
  ),
  treasury_changed: kind('Another wallet is the treasury', FIELDS.pick({ wallet_id: true }), {
    wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  }),
} as const;

export type GovernanceKind = keyof typeof GOVERNANCE_KINDS;
const KINDS = Object.keys(GOVERNANCE_KINDS) as GovernanceKind[];

/** An event of each kind with its own members. */
export type GovernanceEvent = {
  [K in GovernanceKind]: { readonly event: K } & z.input<(typeof GOVERNANCE_KINDS)[K]['data']>;
}[GovernanceKind];

/** Of every kind. */
export const governanceUpdate = z.strictObject({ event: z.enum(KINDS), ...FIELDS.partial().shape });
