/** What the service says on WebSockets but for updates. */
import { z } from 'zod';
import type { OfferedChannel } from '../../core/events/channels.ts';
import { SOCKET_ERROR_CODES } from './socket-error.ts';

export const seqField = z.int().min(0);
/** Of an update, and of what answers a subscription. */
export const atField = z
  .int()
  .min(0)
  .meta({ description: 'Where it was asked for: when the event of this number was written, Unix milliseconds' })
  .optional();

/** `channel`: the member that names one, of a socket that has several. */
export const answers = <C extends z.ZodRawShape>(channel: C) => ({
  authenticated: z.strictObject({ type: z.literal('authenticated') }),
  subscribed: z.strictObject({
    type: z.literal('subscribed'),
    ...channel,
    seq: seqField.meta({
      description: 'The last number before what comes live; after a resume, missed updates follow with lower numbers',
    }),
    at: atField,
  }),
  unsubscribed: z.strictObject({ type: z.literal('unsubscribed'), ...channel }),
  gap: z.strictObject({
    type: z.literal('gap'),
    ...channel,
    from: seqField.meta({ description: 'The oldest number that is kept: what lies between `after` and it is lost' }),
    reset: z.literal(true).optional().meta({
      description:
        'The database was restored from a backup and lacks what the client saw last: `subscribed` is as of a first subscription',
    }),
  }),
  pong: z.strictObject({ type: z.literal('pong') }),
  error: z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({ code: z.enum(SOCKET_ERROR_CODES), message: z.string() }),
  }),
});

type Answers = ReturnType<typeof answers<{ channel: z.ZodType<OfferedChannel, OfferedChannel> }>>;

/** As a connection says it; a socket with one channel leaves its name out. */
export type ServerMessage = { [T in keyof Answers]: z.input<Answers[T]> }[keyof Answers];
