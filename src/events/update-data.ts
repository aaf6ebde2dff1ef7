/** What each channel's updates hold: whoever writes an event is typed by these, and what is published of /v1/ws is made from them. */
import { z } from 'zod';
import { type EventChannel, TRANSACTION_STATUSES } from '../store/records.ts';
import { CONTRACT_STATUSES } from '../store/repositories/contract-rows.ts';

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

export const UPDATE_DATA = { transactions: transaction, blocks: block, contracts: contract } as const satisfies Record<
  EventChannel,
  z.ZodType
>;

export type UpdateData = { readonly [C in EventChannel]: z.input<(typeof UPDATE_DATA)[C]> };
