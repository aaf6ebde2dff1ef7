/**
 * What an event's row holds, by channel: whoever writes an event is typed by these; what is published of /v1/ws and of webhooks is made
 * from them.
 */
import { z } from 'zod';
import type { EventChannel } from './channels.ts';
import { APPROVAL_STATUSES, CONTRACT_STATUSES, TRANSACTION_STATUSES } from './statuses.ts';

const transaction = z.strictObject({
  txid: z.string().meta({ description: 'Until the transaction is complete: its unsigned_txid' }),
  status: z.enum(TRANSACTION_STATUSES),
  block_height: z.int().min(0).nullable().meta({ description: 'null while it is in no block' }),
});

const block = z.strictObject({
  height: z.int().min(0),
  hash: z.string(),
  timestamp: z.int().meta({ description: "Of the block's header, Unix seconds" }),
});

const contract = z.strictObject({
  contract_id: z.string(),
  status: z.enum(CONTRACT_STATUSES),
  outcome: z
    .string()
    .nullable()
    .meta({ description: 'What settles it, as far as known; of a numeric contract the number' }),
  progress: z
    .strictObject({
      stage: z.enum(['signing', 'verifying']),
      done: z.int().min(0),
      total: z.int().min(0),
    })
    .optional()
    .meta({ description: 'While adaptor signatures are made or checked: how many of them' }),
});

const deposit = z.strictObject({
  txid: z.string(),
  wallet_id: z.string(),
  amount: z.string().meta({ description: 'What the wallet receives, BTC with 8 decimals' }),
  block_height: z.int().min(0).nullable().meta({ description: 'null where it was seen before it was in a block' }),
});

const approval = z.strictObject({
  approval_id: z.string(),
  status: z.enum(APPROVAL_STATUSES),
  reason: z.string().nullable().meta({ description: 'Why it was rejected, expired or failed' }),
});

const key = z.strictObject({
  kind: z.enum(['api_key', 'oauth_client']),
  id: z.string(),
  name: z.string(),
  expires_at: z.iso.datetime(),
});

const checkpoint = z.strictObject({
  size: z.int().min(0).meta({ description: 'Records in the log' }),
  root: z.string().meta({ description: 'Root of their Merkle tree (RFC 6962), hex' }),
  note: z.string().meta({ description: 'The signed note (C2SP), which holds both' }),
});

/** What security events tell of, each an event type of its own. */
export const SECURITY_NOTICES = ['sign_in', 'key_created', 'key_revoked', 'policy_changed', 'user_changed'] as const;
export type SecurityNotice = (typeof SECURITY_NOTICES)[number];

const security = z.strictObject({
  notice: z.enum(SECURITY_NOTICES),
  operation: z.string().meta({ description: 'The operation that did it: `api-key.create`' }),
  target: z.string().nullable().meta({ description: 'The id of what was made or changed' }),
  credential: z
    .strictObject({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() })
    .meta({ description: 'Who did it' }),
});

export const UPDATE_DATA = {
  transactions: transaction,
  blocks: block,
  contracts: contract,
  deposits: deposit,
  approvals: approval,
  keys: key,
  audit: checkpoint,
  security,
} as const satisfies Record<EventChannel, z.ZodType>;

export type UpdateData = { readonly [C in EventChannel]: z.input<(typeof UPDATE_DATA)[C]> };
