/** What the service says on /v1/ws. Updates are serialized elsewhere (events/event-message.ts), in the form that stands here. */
import { z } from 'zod';
import { CHANNELS, SOCKET_CHANNELS, type SocketChannel } from '../../../core/events/channels.ts';
import type { SocketDescription } from '../../../hooks/socket-description.ts';
import { answers, atField, seqField } from '../../sockets/server-message.ts';

export const ANSWERS = answers({ channel: z.enum(SOCKET_CHANNELS) });

/** The updates of a channel as documents describe them. */
function updateOf(name: SocketChannel) {
  const { socket, access, data, example } = CHANNELS[name];
  const schema = z.strictObject({
    type: z.literal(socket.type),
    channel: z.literal(name),
    seq: seqField.meta({
      description: 'One sequence over all accounts and channels, in the order of commits: gaps are updates of others',
    }),
    at: atField,
    data,
    retracts: seqField.optional().meta({
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
