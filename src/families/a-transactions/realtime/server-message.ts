/** What the service says on /v1/ws. Updates are serialized elsewhere (events/event-message.ts), in the form that stands here. */
import { z } from 'zod';
import { CHANNELS, type OfferedChannel } from '../../../core/events/channels.ts';
import { UPDATE_DATA } from '../../../core/events/update-data.ts';
import { UPDATE_TYPES } from '../../../events/event-message.ts';
import { REALTIME_ERROR_CODES } from './realtime-error.ts';

const channel = z.enum(CHANNELS);
const seq = z.int().min(0);

export const ANSWERS = {
  authenticated: z.strictObject({ type: z.literal('authenticated') }),
  subscribed: z.strictObject({
    type: z.literal('subscribed'),
    channel,
    seq: seq.meta({
      description: 'The last number before what comes live; after a resume, missed updates follow with lower numbers',
    }),
  }),
  unsubscribed: z.strictObject({ type: z.literal('unsubscribed'), channel }),
  gap: z.strictObject({
    type: z.literal('gap'),
    channel,
    from: seq.meta({ description: 'The oldest number that is kept: what lies between `after` and it is lost' }),
  }),
  pong: z.strictObject({ type: z.literal('pong') }),
  error: z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({ code: z.enum(REALTIME_ERROR_CODES), message: z.string() }),
  }),
};

/** Everything but updates. */
export type ServerMessage = { [T in keyof typeof ANSWERS]: z.input<(typeof ANSWERS)[T]> }[keyof typeof ANSWERS];

const update = <C extends OfferedChannel>(name: C) =>
  z.strictObject({
    type: z.literal(UPDATE_TYPES[name]),
    channel: z.literal(name),
    seq: seq.meta({
      description: 'One sequence over all accounts and channels, in the order of commits: gaps are updates of others',
    }),
    data: UPDATE_DATA[name],
    retracts: seq.optional().meta({
      description: 'The seq of the update that this one takes back: its block left the chain, or it came otherwise',
    }),
  });

export const UPDATES = {
  transactions: update('transactions'),
  blocks: update('blocks'),
  contracts: update('contracts'),
} satisfies Record<OfferedChannel, z.ZodType>;
