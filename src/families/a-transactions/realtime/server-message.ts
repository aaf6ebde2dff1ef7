/** What the service says on /v1/ws. Updates are serialized elsewhere (events/event-message.ts), in the form that stands here. */
import { z } from 'zod';
import { CHANNELS, type OfferedChannel, SOCKET_CHANNELS } from '../../../core/events/channels.ts';
import type { SocketDescription } from '../../../hooks/socket-description.ts';
import { REALTIME_ERROR_CODES } from './realtime-error.ts';

const channel = z.enum(SOCKET_CHANNELS);
const seq = z.int().min(0);
const at = z
  .int()
  .min(0)
  .meta({ description: 'Where it was asked for: when the event of this number was written, Unix milliseconds' });

export const ANSWERS = {
  authenticated: z.strictObject({ type: z.literal('authenticated') }),
  subscribed: z.strictObject({
    type: z.literal('subscribed'),
    channel,
    seq: seq.meta({
      description: 'The last number before what comes live; after a resume, missed updates follow with lower numbers',
    }),
    at: at.optional(),
  }),
  unsubscribed: z.strictObject({ type: z.literal('unsubscribed'), channel }),
  gap: z.strictObject({
    type: z.literal('gap'),
    channel,
    from: seq.meta({ description: 'The oldest number that is kept: what lies between `after` and it is lost' }),
    reset: z.literal(true).optional().meta({
      description:
        'The database was restored from a backup and lacks what the client saw last: `subscribed` is as of a first subscription',
    }),
  }),
  pong: z.strictObject({ type: z.literal('pong') }),
  error: z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({ code: z.enum(REALTIME_ERROR_CODES), message: z.string() }),
  }),
};

/** Everything but updates. */
export type ServerMessage = { [T in keyof typeof ANSWERS]: z.input<(typeof ANSWERS)[T]> }[keyof typeof ANSWERS];

/** The updates of a channel as documents describe them. */
function updateOf(name: OfferedChannel) {
  const { socket, access, data, example } = CHANNELS[name];
  const schema = z.strictObject({
    type: z.literal(socket.type),
    channel: z.literal(name),
    seq: seq.meta({
      description: 'One sequence over all accounts and channels, in the order of commits: gaps are updates of others',
    }),
    at: at.optional(),
    data,
    retracts: seq.optional().meta({
      description: 'The seq of the update that this one takes back: its block left the chain, or it came otherwise',
    }),
  });
  const { type, summary } = socket;
  return {
    type,
    summary,
    scope: access?.scope ?? null,
    schema,
    example: { type, channel: name, seq: 42, data: example },
  };
}

export const UPDATES: SocketDescription['updates'] = Object.fromEntries(
  SOCKET_CHANNELS.map(updateOf).map(({ type, ...update }) => [type, update]),
);
