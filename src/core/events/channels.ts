/**
 * The channels of the one sequence of events. Whoever writes an event is typed by its channel's `data`; the messages of /v1/ws, event types
 * and published documents are made from this table.
 */
import { z } from 'zod';
import type { Role } from '../access.ts';
import { GOVERNANCE_KINDS, governanceUpdate } from './governance-kinds.ts';
import { APPROVAL_STATUSES, CONTRACT_STATUSES, NOTIFICATION_CHANGES, TRANSACTION_STATUSES } from './statuses.ts';

interface Channel<Data extends z.ZodType = z.ZodType> {
  /**
   * On /v1/ws: the `type` of its messages, and what one says. kinds: it has a socket of its own, where an event's kind is the type. null: only
   * webhooks, people and devices get its events.
   */
  readonly socket: { readonly type: string; readonly summary: string } | 'kinds' | null;
  /** Each event is the subject's alone whom its `ref` names, and has no type: webhooks, rules and devices learn nothing of it. */
  readonly own?: true;
  /** Rights that reading takes: those of `record`, where there is one; of their own, people need none. null: none, it is public. */
  readonly access: { readonly scope: string; readonly role: Role } | null;
  /** Id of the operation that reads the record; null: the update is all there is. */
  readonly record: string | null;
  readonly data: Data;
  readonly example: z.input<Data>;
}

/** Types the example by the schema. */
const channel = <Data extends z.ZodType, const Entry extends Omit<Channel<Data>, 'data' | 'example'>>(
  entry: Entry,
  data: Data,
  example: z.input<Data>,
) => ({ ...entry, data, example });

/** What security events are about, each an event type of its own. */
export const SECURITY_NOTICES = [
  'sign_in',
  'key_created',
  'key_revoked',
  'policy_changed',
  'user_changed',
  'device_added',
  'device_revoked',
] as const;
export type SecurityNotice = (typeof SECURITY_NOTICES)[number];

const TXID = '6f2b5b1c1f7e0f6a52c0e5b1c9a3d6d9f1b8f5f0c3a79c5d8f62d0f3ab41c7e2';

export const CHANNELS = {
  transactions: channel(
    {
      socket: { type: 'transaction', summary: 'A transaction of the account has another status or block' },
      access: { scope: 'transactions:read', role: 'viewer' },
      record: 'transaction.get',
    },
    z.strictObject({
      txid: z.string().meta({ description: 'Until the transaction is complete: its unsigned_txid' }),
      status: z.enum(TRANSACTION_STATUSES),
      block_height: z.int().min(0).nullable().meta({ description: 'null while it is in no block' }),
    }),
    { txid: TXID, status: 'broadcast', block_height: null },
  ),
  blocks: channel(
    {
      socket: { type: 'block', summary: 'A block is the new tip, or (with `retracts`) left the chain' },
      access: null,
      record: null,
    },
    z.strictObject({
      height: z.int().min(0),
      hash: z.string(),
      timestamp: z.int().meta({ description: "Of the block's header, Unix seconds" }),
    }),
    {
      height: 900_001,
      hash: '00000000000000000001f2a7c1c5d9e3b7a0f4d8c2b6a1e5f9d3c7b1a5e9f3d7',
      timestamp: 1_796_000_000,
    },
  ),
  contracts: channel(
    {
      socket: { type: 'contract', summary: 'A contract of the account has another status, outcome or progress' },
      access: { scope: 'contracts:read', role: 'viewer' },
      record: 'contract.get',
    },
    z.strictObject({
      contract_id: z.string(),
      status: z.enum(CONTRACT_STATUSES),
      outcome: z
        .string()
        .nullable()
        .meta({ description: 'What settles it, as far as known; of a numeric contract the number' }),
      progress: z
        .strictObject({ stage: z.enum(['signing', 'verifying']), done: z.int().min(0), total: z.int().min(0) })
        .optional()
        .meta({ description: 'While adaptor signatures are made or checked: how many of them' }),
    }),
    { contract_id: 'ctr_3mVb1k7Q2xYt9LpRw0Zc5A', status: 'confirmed', outcome: null },
  ),
  deposits: channel(
    { socket: null, access: { scope: 'transactions:read', role: 'viewer' }, record: 'transaction.get' },
    z.strictObject({
      txid: z.string(),
      wallet_id: z.string(),
      amount: z.string().meta({ description: 'What the wallet receives, BTC with 8 decimals' }),
      block_height: z.int().min(0).nullable().meta({ description: 'null where it was seen before it was in a block' }),
    }),
    { txid: TXID, wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A', amount: '0.00150000', block_height: null },
  ),
  approvals: channel(
    { socket: null, access: { scope: 'approvals:read', role: 'operator' }, record: 'approval.get' },
    z.strictObject({
      approval_id: z.string(),
      status: z.enum(APPROVAL_STATUSES),
      reason: z.string().nullable().meta({ description: 'Why it was rejected, expired or failed' }),
      done: z.literal(true).optional().meta({ description: 'Approved and carried out' }),
    }),
    { approval_id: 'apr_8sKd2LmQ9vXcT4yHn6PzRa', status: 'pending', reason: null },
  ),
  keys: channel(
    { socket: null, access: { scope: 'api-keys:read', role: 'admin' }, record: null },
    z.strictObject({
      kind: z.enum(['api_key', 'oauth_client']),
      id: z.string(),
      name: z.string(),
      expires_at: z.iso.datetime(),
    }),
    {
      kind: 'api_key',
      id: 'key_8sKd2LmQ9vXcT4yHn6PzRa',
      name: 'payments backend',
      expires_at: '2026-12-01T00:00:00.000Z',
    },
  ),
  audit: channel(
    { socket: null, access: { scope: 'compliance:read', role: 'operator' }, record: null },
    z.strictObject({
      size: z.int().min(0).meta({ description: 'Records in the log' }),
      root: z.string().meta({ description: 'Root of their Merkle tree (RFC 6962), hex' }),
      note: z.string().meta({ description: 'The signed note (C2SP), which holds both' }),
    }),
    {
      size: 4_211,
      root: '5d41402abc4b2a76b9719d911017c592ae2f8b1c4d7e3f9a6b0c5d8e1f2a3b4c',
      note: 'ashlar/acc_…\n4211\nXUFAKrxLKna5cZ2REBfFkq4vixxNfj+aawxdjh8qO0w=\n\n— ashlar/acc_… …\n',
    },
  ),
  security: channel(
    { socket: null, access: { scope: 'compliance:read', role: 'operator' }, record: null },
    z.strictObject({
      notice: z.enum(SECURITY_NOTICES),
      operation: z.string().meta({ description: 'The operation that did it: `api-key.create`' }),
      target: z.string().nullable().meta({ description: 'The id of what was made or changed' }),
      credential: z
        .strictObject({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() })
        .meta({ description: 'Who did it' }),
      remote_address: z.string().optional().meta({ description: 'From where; events of before it was kept have none' }),
    }),
    {
      notice: 'key_created',
      operation: 'api-key.create',
      target: 'key_8sKd2LmQ9vXcT4yHn6PzRa',
      credential: { kind: 'person', id: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
      remote_address: '203.0.113.7',
    },
  ),
  screening: channel(
    { socket: null, access: { scope: 'compliance:read', role: 'operator' }, record: null },
    z.strictObject({
      operation: z.string().meta({ description: 'What the rules were asked: `payment`, `bump`, …; or `deposit`' }),
      decision: z.enum(['allow', 'approve', 'deny', 'freeze']),
      wallet_id: z.string().nullable(),
      txid: z.string().optional().meta({ description: 'Of a deposit, which is frozen' }),
      lists: z.array(
        z.strictObject({
          list_id: z.string(),
          name: z.string(),
          address: z.string().meta({ description: 'The first one that matched, as the list has it' }),
        }),
      ),
    }),
    {
      operation: 'payment',
      decision: 'deny',
      wallet_id: 'wal_3mVb1k7Q2xYt9LpRw0Zc5A',
      lists: [
        { list_id: 'scl_4nWc2k8R3yZu0MqSx1Ad6B', name: 'OFAC SDN', address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
      ],
    },
  ),
  governance: channel(
    { socket: 'kinds', access: { scope: 'governance:read', role: 'viewer' }, record: null },
    governanceUpdate,
    { event: 'proposal_created', ...GOVERNANCE_KINDS.proposal_created.example },
  ),
  webhooks: channel(
    { socket: null, access: { scope: 'webhooks:read', role: 'viewer' }, record: null },
    z.strictObject({ webhook_id: z.string(), url: z.string(), reason: z.string() }),
    {
      webhook_id: 'whk_5nQe8Rk2TzWm1YbX4vLpJd',
      url: 'https://shop.example.com/ashlar',
      reason: 'the endpoint answers 410 Gone',
    },
  ),
  notifications: channel(
    {
      socket: {
        type: 'notification',
        summary: "A notification is in the caller's own list, or was marked or cancelled",
      },
      own: true,
      access: { scope: 'notifications:read', role: 'viewer' },
      record: 'notification.get',
    },
    z.strictObject({
      notification_id: z.string(),
      change: z.enum(NOTIFICATION_CHANGES).meta({
        description:
          'shown and unread: one more is unread; read: one fewer. cancelled: others whom it was for do not get it any more',
      }),
      subject: z.string(),
    }),
    { notification_id: 'ntf_0aXk9Q2mW3mVb1k7Q2xYt9', change: 'shown', subject: 'Cold wallet refilled' },
  ),
} as const satisfies Record<string, Channel>;

export type EventChannel = keyof typeof CHANNELS;
/** What an event's row holds, by channel. */
export type UpdateData = { readonly [C in EventChannel]: z.input<(typeof CHANNELS)[C]['data']> };

/** Channels that sockets offer. */
export type OfferedChannel = {
  [C in EventChannel]: (typeof CHANNELS)[C]['socket'] extends null ? never : C;
}[EventChannel];
export const isOffered = (name: EventChannel): name is OfferedChannel => CHANNELS[name].socket !== null;
export const isOwn = (name: EventChannel): boolean => 'own' in CHANNELS[name];
/** Channels whose events have a type. */
export type TypedChannel = {
  [C in EventChannel]: (typeof CHANNELS)[C] extends { readonly own: true } ? never : C;
}[EventChannel];
export const isTyped = (name: EventChannel): name is TypedChannel => !isOwn(name);
/** Channels that /v1/ws offers. */
export type SocketChannel = {
  [C in EventChannel]: (typeof CHANNELS)[C]['socket'] extends { readonly type: string } ? C : never;
}[EventChannel];
export const SOCKET_CHANNELS = (Object.keys(CHANNELS) as EventChannel[]).filter(
  (name): name is SocketChannel => typeof CHANNELS[name].socket === 'object' && isOffered(name),
);
