/** What a sync asks for, and what it answers. */
import { z } from 'zod';
import { CHANNELS } from '../../../core/events/channels.ts';
import { EVENT_TYPE_NAMES } from '../../../core/events/event-types.ts';
import type { Change, DeviceStatus } from '../../../services/mobile/index.ts';
import { answer, time, unnamedAnswer } from '../../answer.ts';
import { idField } from '../../fields.ts';
import { deviceExample } from './device-answer.ts';

/** Longer than any that is given. */
const LONGEST_CURSOR = 1_024;

export const syncFields = {
  since: z
    .string()
    .min(1, 'must not be empty; leave it out for a snapshot')
    .max(LONGEST_CURSOR, 'is longer than any cursor: send `next` of the last answer as it is')
    .meta({ description: '`next` of the last answer, as it is; left out: a snapshot' })
    .optional(),
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(100)
    .meta({ description: 'Changes in the answer, at most; it may hold fewer' }),
  wallets: z
    .array(idField('wal'))
    .min(1, 'must name at least one wallet')
    .max(100, 'must name at most 100 wallets')
    .nullable()
    .default(null)
    .meta({ description: 'Only what concerns one of these wallets; null: all' }),
  history: z
    .boolean()
    .default(false)
    .meta({ description: 'Every event; otherwise each record once, as it is now, however often it changed' }),
};

const change = answer(
  'SyncChange',
  {
    seq: z.int().meta({ description: 'Of the event; in a snapshot, where it begins' }),
    type: z.enum(EVENT_TYPE_NAMES).meta({ id: 'EventType' }),
    data: z.record(z.string(), z.unknown()).meta({
      description: 'The record as lists answer it, or what the event says where it has none; with `history` both',
    }),
    retracts: z.int().optional().meta({ description: 'seq of the event that it takes back' }),
  },
  ({ seq, data, retracts }: Change) => ({
    seq: Number(seq),
    data: data as Record<string, unknown>,
    retracts: retracts === undefined ? undefined : Number(retracts),
  }),
);

export const sync = answer('SyncAnswer', {
  changes: z.array(change.schema),
  next: z.string().meta({ description: '`since` of the next sync: this device’s alone' }),
  has_more: z.boolean().meta({ description: 'Sync again at once' }),
  reset: z
    .literal(true)
    .optional()
    .meta({ description: 'A snapshot begins: forget all that the device has, then apply the changes' }),
});

export const mobileStatus = answer('MobileStatus', {
  devices: z.array(
    unnamedAnswer(
      {
        device_id: z.string(),
        name: z.string().nullable(),
        last_synced_at: time.meta({ description: 'To the minute' }),
        unread: z.int().nullable().meta({
          description: 'Changes that it does not have, among the next 50 events; null until it has a whole snapshot',
        }),
        lag_seconds: z
          .int()
          .nullable()
          .meta({ description: 'Since the first of them was written; 0 where it has all' }),
      },
      (_: DeviceStatus) => ({}),
    ).schema,
  ),
});

const { device_id, name, last_synced_at } = deviceExample;
export const syncExample = {
  changes: [
    {
      seq: 4_210,
      type: 'key.expiring' as const,
      data: CHANNELS.keys.example,
    },
    {
      seq: 4_211,
      type: 'block.connected' as const,
      data: CHANNELS.blocks.example,
    },
  ],
  next: 'v1.Qm9iYm9i.c3luYw.Y3Vyc29y',
  has_more: false,
};
export const statusExample = { devices: [{ device_id, name, last_synced_at, unread: 2, lag_seconds: 61 }] };
