/** A socket as it is published: from the schemas by which it is read and written. */
import type { z } from 'zod';
import type { SocketDescription, SocketRequest } from '../../hooks/socket-description.ts';
import { CLOSE } from './outbox.ts';

const CLOSES: Readonly<Record<keyof typeof CLOSE, string>> = {
  goingAway: 'the service is stopping: connect again, elsewhere',
  internal: 'a fault of the service: connect again and resume',
  tryAgainLater: 'the reader is 4 MiB behind: connect again and resume after the last seq',
  unauthorized: 'not authenticated within 10 s, or the credential no longer stands or lost a scope',
  conflict: 'the credential has another connection open, which answers',
  tooMany:
    'more than 100 messages in a second; too many failed authentications from this address; or too many connections (see above)',
};

type Reason = keyof typeof CLOSE;

/** Markdown: the codes with which a socket is closed. */
export const closeTable = (reasons: readonly Reason[]): string =>
  ['| closed with | because |', '|---|---|', ...reasons.map((name) => `| ${CLOSE[name]} | ${CLOSES[name]} |`)].join(
    '\n',
  );

export const CLOSE_REASONS = (Object.keys(CLOSE) as Reason[]).filter((name) => name !== 'conflict');

type Named = 'subscribe' | 'unsubscribe' | 'ping' | 'authenticated' | 'subscribed' | 'unsubscribed' | 'gap' | 'pong';

export function describeSocket({
  schemas,
  auth,
  channel,
  mistake,
  ...socket
}: Omit<SocketDescription, 'requests' | 'answers'> & {
  readonly schemas: Readonly<Record<Named | 'error', z.ZodType>>;
  readonly auth: SocketRequest;
  /** Of the examples; {}: it has only one. */
  readonly channel: { readonly channel?: string };
  /** An example of what is told of one. */
  readonly mistake: string;
}): SocketDescription {
  const of = channel.channel === undefined ? '' : ' of the channel';
  const say = (summary: string, type: Named, more: object = {}) => {
    const about = type === 'ping' || type === 'pong' || type === 'authenticated' ? {} : channel;
    return { summary, schema: schemas[type], example: { type, ...about, ...more } };
  };
  return {
    ...socket,
    requests: {
      auth,
      subscribe: {
        ...say(`Begins to listen${of === '' ? '' : ' to a channel'}, from now on or after a seq`, 'subscribe', {
          after: 41,
        }),
        description: `A second subscription${of === '' ? '' : ' to a channel'} takes the place of the first.`,
        answers: ['gap', 'subscribed', 'error'],
      },
      unsubscribe: {
        ...say(`Ends listening${of === '' ? '' : ' to a channel'}`, 'unsubscribe'),
        answers: ['unsubscribed', 'error'],
      },
      ping: { ...say('Asks for a sign of life', 'ping'), answers: ['pong'] },
    },
    answers: {
      authenticated: say('The credential stands', 'authenticated'),
      subscribed: say(`From now on updates${of} come, those that were missed first`, 'subscribed', { seq: 57 }),
      gap: say('Some of what was missed is kept no more: read the present state by REST', 'gap', { from: 43 }),
      unsubscribed: say(`No more updates${of} come`, 'unsubscribed'),
      pong: say('A sign of life', 'pong'),
      error: {
        summary: 'What was wrong with a message; the connection stays',
        schema: schemas.error,
        example: { type: 'error', error: { code: 'invalid_request', message: mistake } },
      },
    },
  };
}
