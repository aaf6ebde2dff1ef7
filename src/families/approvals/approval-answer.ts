/** What an approval looks like on the wire. */
import { z } from 'zod';
import { ROLES } from '../../core/access.ts';
import type { Approvers } from '../../core/policies/policy.ts';
import { APPROVAL_EXPORT, type ApprovalExport } from '../../core/policies/verify-approval.ts';
import {
  APPROVAL_STATUSES,
  type ApprovalRecord,
  type ApprovalView,
  type ListedApproval,
} from '../../services/approvals/approval-service.ts';
import { answer, time } from '../answer.ts';
import { idField } from '../fields.ts';

export const approvalParams = z.strictObject({ approval_id: idField('apr') });

const shownApprovers = ({ roles, userIds, groups }: Approvers) => ({
  ...(roles && { roles: [...roles] }),
  ...(userIds && { user_ids: [...userIds] }),
  ...(groups && { groups: [...groups] }),
});

const ids = z.array(z.string()).optional();

export const approvers = answer('Approvers', {
  roles: z.array(z.enum(ROLES)).optional(),
  user_ids: ids,
  groups: ids,
});

const requirement = { policy_id: z.string(), required: z.int(), from: approvers.schema };

const whoAsked = z
  .object({
    kind: z.enum(['api_key', 'oauth_client', 'person']),
    id: z.string(),
    counts_as: z.string().nullable().meta({ description: 'The user whose vote it casts; null: it votes for itself' }),
  })
  .meta({ id: 'ApprovalCredential' });

const listedShape = {
  approval_id: z.string(),
  operation: z.string().meta({
    description:
      'What is asked for, as rules name it: payment, bump, message, …; of a change of the rules the operation: user.update',
  }),
  subject: z
    .string()
    .meta({ description: 'What waits for it: the unsigned txid of a payment, the address of a message' }),
  wallet_id: z.string().nullable(),
  initiator: whoAsked,
  status: z.enum(APPROVAL_STATUSES).meta({
    id: 'ApprovalStatus',
    description:
      '`failed`: what was to be approved can no longer be done, or the rules denied it when they were asked again',
  }),
  reason: z.string().nullable(),
  digest: z.string().meta({ description: 'SHA-256 of `text`, hex: what a vote names, and its signature covers' }),
  requirements: z
    .array(z.object(requirement))
    .meta({ description: 'Each has to be met by itself; one vote may count for several' }),
  expires_at: time,
  created_at: time,
  closed_at: time.nullable(),
  done_at: time.nullable().meta({
    description: 'When what was approved had been carried out: signed, and of a payment handed over for sending',
  }),
};

const listedRequirements = (requirements: readonly { policyId: string; required: number; from: Approvers }[]) =>
  requirements.map(({ policyId, required, from }) => ({ policy_id: policyId, required, from: shownApprovers(from) }));

const shownInitiator = ({ kind, id, countsAs }: ApprovalRecord['initiator']) => ({ kind, id, counts_as: countsAs });

/** In lists: the text holds whole transactions. */
export const listedApproval = answer('ListedApproval', listedShape, ({ initiator, requirements }: ListedApproval) => ({
  initiator: shownInitiator(initiator),
  requirements: listedRequirements(requirements),
}));

export const approval = answer(
  'Approval',
  {
    ...listedShape,
    text: z.string().meta({
      description:
        'All that is approved, as canonical JSON (RFC 8785): who asked for what, and in `signs`, by its `kind`, exactly what will be signed, made or changed (a transaction with the outputs that it spends, a contract, message, attestation, partial signature, signature added to a payment, backup, or change of the rules): [guide](/docs/approvals)',
    }),
    requirements: z
      .array(z.object({ ...requirement, approvals: z.int().meta({ description: 'Votes that count for it now' }) }))
      .meta({ description: 'Each has to be met by itself; one vote may count for several' }),
    result: z.record(z.string(), z.unknown()).nullable().meta({
      description:
        'Of what was answered 202 and makes no record of its own (a signed message): the answer, once `done_at` is set. Shown to credentials that could ask for it themselves, a secret (a backup, a new key) only to a signed request of the one that asked and for 24 hours; null to others, and in the answer to a vote',
    }),
    names: z
      .object({
        wallets: z.record(z.string(), z.string()).meta({ description: 'By their ids' }),
        payees: z.array(z.object({ address: z.string(), address_book_id: z.string(), name: z.string() })),
      })
      .nullable()
      .meta({
        description:
          'What the account calls the wallets in `text` now, and the entries of the address book that it pays, where the credential may read them. Not part of what a vote signs: the addresses in `text` are. null in the answer to a vote or request',
      }),
    votes: z.array(
      z.object({
        decision: z.enum(['approve', 'reject']),
        credential: whoAsked,
        role: z.enum(ROLES).meta({ description: 'When it voted' }),
        comment: z.string().nullable(),
        counted: z.boolean().meta({
          description:
            'While it is pending: whether it counts as the records are now. Of one that was approved: whether it helped to',
        }),
        key_id: z.string().meta({ description: 'The key that signed it' }),
        created_at: z.string(),
      }),
    ),
  },
  ({ initiator, requirements, votes, names }: ApprovalView) => ({
    names: names && {
      wallets: names.wallets,
      payees: names.payees.map(({ addressBookId, ...payee }) => ({ ...payee, address_book_id: addressBookId })),
    },
    initiator: shownInitiator(initiator),
    requirements: requirements.map((one) => ({ ...listedRequirements([one])[0]!, approvals: one.approvals })),
    votes: votes.map(({ decision, credentialKind: kind, credentialId: id, countsAs, role, comment, ...vote }) => ({
      ...{ decision, credential: { kind, id, counts_as: countsAs }, role, comment, counted: vote.counted },
      ...{ key_id: vote.keyId, created_at: new Date(vote.createdAt).toISOString() },
    })),
  }),
);

/** The file that `ashlar approvals verify` checks. */
export const exportedApproval = ({
  approvalId,
  status,
  text,
  digest,
  requirements,
  votes,
}: ApprovalView): ApprovalExport => ({
  ...{ type: APPROVAL_EXPORT, version: 1, approval_id: approvalId, status, text, digest },
  requirements: listedRequirements(requirements),
  votes: votes.map((vote) => ({
    ...{ decision: vote.decision, comment: vote.comment, counted: vote.counted },
    at: new Date(vote.createdAt).toISOString(),
    credential: {
      ...{ kind: vote.credentialKind, id: vote.credentialId, counts_as: vote.countsAs, role: vote.role },
    },
    groups: [...vote.groupIds],
    ...{ key_id: vote.keyId, public_key: vote.publicJwk, nonce: vote.nonce, path: vote.path },
    ...{ signature_base: vote.signatureBase, signature: vote.signature, body: vote.body },
  })),
});

/** What approving and rejecting take. */
export const voteBody = z.strictObject({
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the digest of the approval: 64 hex digits')
    .meta({ description: 'The digest of the text that you read' }),
  comment: z.string().trim().min(1, 'must not be empty').max(500, 'must have at most 500 characters').optional(),
});

const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const KEY = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

export const voteExample = { digest: DIGEST, comment: 'invoice 4711' };

export const listedApprovalExample = {
  approval_id: 'apr_8sKd2LmQ9vXcT4yHn6PzRa',
  operation: 'payment',
  subject: '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2',
  wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
  initiator: { kind: 'person' as const, id: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A', counts_as: 'usr_3mVb1k7Q2xYt9LpRw0Zc5A' },
  status: 'pending' as const,
  reason: null,
  digest: DIGEST,
  requirements: [{ policy_id: 'pol_3mVb1k7Q2xYt9LpRw0Zc5A', required: 2, from: { roles: ['admin' as const] } }],
  expires_at: '2026-11-21T10:00:00.000Z',
  created_at: '2026-11-20T10:00:00.000Z',
  closed_at: null,
  done_at: null,
};

export const approvalExample = {
  ...listedApprovalExample,
  text: '{"account_id":"acc_3mVb1k7Q2xYt9LpRw0Zc5A","approval_id":"apr_8sKd2LmQ9vXcT4yHn6PzRa","…":"…"}',
  requirements: [{ ...listedApprovalExample.requirements[0]!, approvals: 1 }],
  result: null,
  names: {
    wallets: { wal_3mVb1k7Q2xYt9LpRw0Zc5A: 'Treasury' },
    payees: [
      {
        address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        ...{ address_book_id: 'abe_3mVb1k7Q2xYt9LpRw0Zc5A', name: 'Exchange' },
      },
    ],
  },
  votes: [
    {
      decision: 'approve' as const,
      credential: {
        kind: 'person' as const,
        id: 'usr_8sKd2LmQ9vXcT4yHn6PzRa',
        counts_as: 'usr_8sKd2LmQ9vXcT4yHn6PzRa',
      },
      role: 'admin' as const,
      comment: 'invoice 4711',
      counted: true,
      key_id: KEY,
      created_at: '2026-11-20T10:05:00.000Z',
    },
  ],
};
