/** A replay in answers. */
import { z } from 'zod';
import {
  type ActionCounts,
  REPLAY_STATUSES,
  type ReplayDifference,
  type ReplayRecord,
  type ShownReplay,
} from '../../../../services/policies/replay/replay-service.ts';
import { amount, answer, time } from '../../../answer.ts';
import { idField } from '../../../fields.ts';
import { verdict } from '../../../verdict-field.ts';

export const replayParams = z.strictObject({ replay_id: idField('rpl') });

const counts = answer(
  'ReplayCounts',
  {
    allowed: z.int(),
    approvals: z.int().meta({ description: 'Payments that waited for approval, or would have' }),
    denied: z.int(),
  },
  ({ allow: allowed, approve: approvals, deny: denied }: ActionCounts) => ({ allowed, approvals, denied }),
);

type Verdict = z.input<typeof verdict>;

export const replayDifference = answer(
  'ReplayDifference',
  {
    txid: z.string(),
    wallet_id: z.string(),
    amount: amount.meta({ description: 'What left the account' }),
    before: verdict.nullable().meta({ description: 'The verdict on record. null: there were no rules' }),
    after: verdict,
    created_at: time.meta({ description: 'Of the payment' }),
  },
  // Records have the form of the answer.
  ({ before, after }: ReplayDifference) => ({ before: before as Verdict | null, after: after as Verdict }),
);

const listedShape = {
  replay_id: z.string(),
  status: z.enum(REPLAY_STATUSES).meta({ id: 'ReplayStatus' }),
  reason: z.string().nullable().meta({ description: 'Why it failed' }),
  progress: z.number().meta({ description: 'From 0 to 1' }),
  from: z.string(),
  to: z.string(),
  default_action: z.enum(['allow', 'deny']),
  policies: z
    .array(z.object({ policy_id: z.string(), name: z.string() }))
    .meta({ description: 'The replayed rules: `proposed-1` and so on for those of the request' }),
  payments: z.int().meta({ description: 'Evaluated so far' }),
  before: counts.schema.meta({ description: 'The verdicts on record' }),
  after: counts.schema.meta({ description: 'The verdicts of the replayed rules' }),
  differing: z.int().meta({ description: 'Payments whose action differs' }),
  unjudged: z
    .int()
    .meta({ description: 'Payments of former versions, which did not record what was asked of the rules' }),
  complete_from: time.nullable().meta({
    description:
      'Windows of payments before this time may be wrong: what was given back that long ago is no longer known (SPEND_HISTORY_DAYS). null: they are complete',
  }),
  created_at: time,
  closed_at: time.nullable(),
  expires_at: time.nullable().meta({ description: 'When it is deleted' }),
};

const iso = (at: number): string => new Date(at).toISOString();
const listed = ({ place, firstPlace, lastPlace, status, fromAt, toAt, policies, figures }: ReplayRecord) => ({
  progress: status === 'done' ? 1 : (place + 1 - firstPlace) / Math.max(1, lastPlace + 1 - firstPlace),
  ...{ from: iso(fromAt), to: iso(toAt) },
  policies: policies.map(({ policyId, name }) => ({ policy_id: policyId, name })),
  ...{ payments: figures.payments, differing: figures.differing, unjudged: figures.unjudged },
  ...{ before: counts.present(figures.before), after: counts.present(figures.after) },
});

export const listedReplay = answer('ListedReplay', listedShape, listed);

const ASSUMPTIONS = [
  'Windows add up what was really spent: a payment that these rules would have denied counts for later ones.',
  'Contracts count in the windows, but are not evaluated. Denied requests, signatures that were added later, messages, attestations and exports ' +
    'leave no record to evaluate.',
  "A payee's address book entries are those of the time of the payment if a rule looked at payees then; otherwise those of now.",
  'A payment, and another that failed or was replaced at the same moment, may be replayed in the other order (on PostgreSQL).',
  'Roles, groups and internal wallets are those of the time of the payment; a group that was created later has its members of now.',
  'Screening lists are not asked: no record says what was on them. Rules with `screening` match nothing.',
];

export const replay = answer(
  'Replay',
  {
    ...listedShape,
    differences: z
      .array(replayDifference.schema)
      .meta({ description: 'The newest 20; all of them (at most 5000) are at …/differences' }),
    assumptions: z
      .array(z.string())
      .meta({ description: 'What the history does not contain, and what is assumed instead' }),
  },
  (record: ShownReplay) => ({
    ...listed(record),
    differences: record.differences.map(replayDifference.present),
    assumptions: ASSUMPTIONS,
  }),
);

export const replayDifferenceExample = {
  txid: '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2',
  wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  amount: '0.60000000',
  before: null,
  after: {
    action: 'deny' as const,
    rules: [
      {
        ...{ policy_id: 'proposed-1', name: 'Ceiling', action: 'deny' as const },
        matched: { amount_over: '0.60000000 above 0.50000000' },
      },
    ],
  },
  created_at: '2026-11-12T09:30:00.000Z',
};

export const listedReplayExample = {
  replay_id: 'rpl_5hNw2LmQ9vXcT4yHn6PzRa',
  status: 'done' as const,
  reason: null,
  progress: 1,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-24T00:00:00.000Z',
  default_action: 'allow' as const,
  policies: [{ policy_id: 'proposed-1', name: 'Ceiling' }],
  payments: 412,
  before: { allowed: 412, approvals: 0, denied: 0 },
  after: { allowed: 411, approvals: 0, denied: 1 },
  differing: 1,
  unjudged: 0,
  complete_from: null,
  created_at: '2026-11-24T12:00:00.000Z',
  closed_at: '2026-11-24T12:00:00.000Z',
  expires_at: '2026-12-01T12:00:00.000Z',
};

export const replayExample = {
  ...listedReplayExample,
  differences: [replayDifferenceExample],
  assumptions: [ASSUMPTIONS[0] as string, '…'],
};
