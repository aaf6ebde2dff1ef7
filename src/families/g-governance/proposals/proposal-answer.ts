import { z } from 'zod';
import { EXECUTION_STATUSES } from '../../../core/governance/execution.ts';
import { FIRST_PARAMETERS } from '../../../core/governance/parameters.ts';
import { PROPOSAL_STATUSES } from '../../../core/governance/proposal-outcome.ts';
import type { ListedProposal, ProposalRecord } from '../../../services/governance/proposals.ts';
import { PROPOSAL_TYPES } from '../../../services/governance/types/proposal-type.ts';
import { answer, time } from '../../answer.ts';
import { idField, namedRequest } from '../../fields.ts';

export const proposalParams = z.strictObject({ id: idField('prp') });
export const statusField = z.enum(PROPOSAL_STATUSES);
export const executionField = z.enum(EXECUTION_STATUSES);

const textField = (most: number) =>
  z.string().trim().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);

export const proposalRequest = namedRequest('ProposalRequest', {
  title: textField(200),
  description: textField(10_000),
  type: z
    .string()
    .max(64, 'must have at most 64 characters')
    .meta({
      description: PROPOSAL_TYPES.join(', '),
      examples: ['parameter_change'],
    }),
  parameters: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'What it changes: names and new values, as its type takes them' }),
});

const power = z.int().meta({ description: 'Whole tokens' });

const execution = answer('ProposalExecution', {
  status: executionField,
  txid: z.string().nullable().meta({ description: 'Of the payment' }),
  approval_id: z.string().nullable().meta({ description: 'What it waits, or waited, for' }),
  reason: z.string().nullable().meta({ description: 'Why it failed last, or was cancelled' }),
  from: time.nullable().meta({ description: 'From then on it can be executed' }),
  until: time.nullable().meta({ description: 'Until then' }),
});

const listedShape = {
  id: z.string(),
  title: z.string(),
  description: z.string(),
  type: z.string(),
  status: statusField,
  votes_for: power,
  votes_against: power,
  total_power: z.int().meta({ description: 'What all holders can vote with together' }),
  voters: z.int(),
  proposer_id: z.string().meta({ description: 'A holder' }),
  created_at: time,
  expires_at: time,
  ended_at: time.nullable(),
  cancelled_at: time.nullable(),
  cancel_reason: z.string().nullable(),
  executed_at: time.nullable().meta({ description: 'When what it says was done, or its payment signed' }),
  execution: execution.schema.nullable().meta({ description: 'null: it is active, or was rejected' }),
};

const counted = ({ proposalId, votesFor, votesAgainst, totalPower }: ListedProposal) => ({
  id: proposalId,
  ...{ votes_for: Number(votesFor), votes_against: Number(votesAgainst), total_power: Number(totalPower) },
});

const listedProposal = answer('ListedProposal', listedShape, counted);

export const proposal = answer(
  'Proposal',
  {
    ...listedShape,
    parameters: z.record(z.string(), z.unknown()),
    settings: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The DAO’s parameters when it was made, which hold for it' }),
    snapshot_seq: z
      .int()
      .meta({ description: 'What holders have up to this change of the DAO is what they vote with' }),
  },
  ({ parameters, settings, ...record }: ProposalRecord) => ({
    ...counted(record),
    parameters,
    settings: { ...settings },
  }),
);

/** As the interface has it, which is not the form of other lists. */
export const proposals = {
  schema: z
    .object({ proposals: z.array(listedProposal.schema), total: z.int(), limit: z.int(), offset: z.int() })
    .meta({ id: 'ProposalList' }),
  present: (page: { data: readonly ListedProposal[]; total: number; limit: number; offset: number }) => ({
    proposals: page.data.map(listedProposal.present),
    ...{ total: page.total, limit: page.limit, offset: page.offset },
  }),
};

export const proposalRequestExample = {
  title: 'A longer time to vote',
  description: 'Three days are few where weekends come in between.',
  type: 'parameter_change',
  parameters: { voting_period_hours: 120 },
};

const { parameters, ...said } = proposalRequestExample;
export const listedProposalExample = {
  id: 'prp_7hRm3Kc9WvXa2TyQn5LpZd',
  ...said,
  status: 'active',
  votes_for: 640_000,
  votes_against: 12_000,
  total_power: 1_000_000,
  voters: 3,
  proposer_id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A',
  created_at: '2026-11-28T09:00:00.000Z',
  expires_at: '2026-12-01T09:00:00.000Z',
  ended_at: null,
  cancelled_at: null,
  cancel_reason: null,
  executed_at: null,
  execution: null,
} as const;
export const proposalExample = {
  ...listedProposalExample,
  parameters,
  settings: { ...FIRST_PARAMETERS },
  snapshot_seq: 7,
};
export const executedExample = {
  ...proposalExample,
  ...{ status: 'passed', ended_at: '2026-12-01T09:00:00.000Z', executed_at: '2026-12-02T09:30:00.000Z' },
  execution: {
    ...{ status: 'executed', txid: null, approval_id: null, reason: null },
    ...{ from: '2026-12-02T09:00:00.000Z', until: '2026-12-16T09:00:00.000Z' },
  },
} as const;
