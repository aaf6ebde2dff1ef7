/** /v1/ws as it is published: from the schemas by which it is read and written. */
import { SOCKET_CHANNELS } from '../../../core/events/channels.ts';
import type { SocketDescription } from '../../../hooks/socket-description.ts';
import { CLIENT_MESSAGES } from './client-message.ts';
import { SOCKET_BOUNDS } from './open-sockets.ts';
import { CLOSE } from './outbox.ts';
import { ANSWERS, UPDATES } from './server-message.ts';

const CLOSES: Readonly<Record<keyof typeof CLOSE, string>> = {
  goingAway: 'the service is stopping: connect again, elsewhere',
  internal: 'a fault of the service: connect again and resume',
  tryAgainLater: 'the reader is 4 MiB behind: connect again and resume after the last seq',
  unauthorized: 'not authenticated within 10 s, or the credential no longer stands or lost a scope',
  tooMany:
    'more than 100 messages in a second; too many failed authentications from this address; or too many connections (see above)',
};

const count = (figure: number): string => figure.toLocaleString('en-US');

const DESCRIPTION = `Updates of transactions, blocks, contracts and one's own notifications. The first message is \`auth\`; messages are processed in order, so that \`subscribe\` may be sent
along with it. Updates have numbers (\`seq\`) of one sequence, in the order in which they were committed: none is ever delivered behind a higher one of its channel.
Whoever was away names the last number it saw (\`after\`) and is told what it missed, in order, each once, then what is live; where that is kept
no more (30 days), \`gap\` comes first. An update with \`retracts\` takes back an earlier one: its block left the chain, or a contract was settled otherwise.

Gaps between the numbers that a subscriber receives are normal: the sequence counts the updates of all accounts and channels. No update is
lost. A client that has received a number has received every update of that channel, for its account, up to it: if the service cannot
deliver an update, it does not skip it but closes the connection, and \`after\` delivers it. Only \`gap\` reports lost updates. Store the last
number of each channel: first that of \`subscribed\`, then that of each update. Do not store that of the \`subscribed\` that answers a resume:
the missed updates follow it and have lower numbers.

A database that was restored from a backup gives the numbers after it to other events. A client that subscribes with \`times\` is told when each
update was written (\`at\`), stores it with the number and resumes with both: what it saw is then recognized, and where the database lacks it
\`gap\` comes with \`reset\`. Without \`at\` a resume after a number that was not given yet is answered \`error\`.

An account sees its own updates only; blocks are for all, and a notification is told only to whom it is for: a person needs no scope for that. A mistake is answered \`error\`, and the connection stays. A message has at most 8 KiB; a
WebSocket ping comes every 30 s. Each process of the service keeps ${SOCKET_BOUNDS.ofCredential} connections of one credential open, and
${count(SOCKET_BOUNDS.ofAccount)} of one account; of those not yet authenticated ${SOCKET_BOUNDS.waitingOfNetwork} of one network (IPv4 /24, IPv6 /64) and ${count(SOCKET_BOUNDS.waiting)} in all: beyond
that the one that has waited longest is closed. One more of a credential or an account is closed when it authenticates.

| closed with | because |
|---|---|
${(Object.keys(CLOSE) as (keyof typeof CLOSE)[]).map((name) => `| ${CLOSE[name]} | ${CLOSES[name]} |`).join('\n')}`;

export const realtimeSocket: SocketDescription = {
  name: 'updates',
  path: '/v1/ws',
  title: 'Live updates',
  description: DESCRIPTION,
  requests: {
    auth: {
      summary: 'Says who the client is: an API key, or an access token',
      description:
        'Again with another credential of the same account: a token that is about to end is renewed so. Of another subject it is refused while this one listens to their notifications.',
      schema: CLIENT_MESSAGES.auth,
      example: { type: 'auth', api_key: 'ak_…' },
      answers: ['authenticated', 'error'],
    },
    subscribe: {
      summary: 'Begins to listen to a channel, from now on or after a seq',
      description: 'A second subscription to a channel takes the place of the first.',
      schema: CLIENT_MESSAGES.subscribe,
      example: { type: 'subscribe', channel: 'contracts', after: 41 },
      answers: ['gap', 'subscribed', 'error'],
    },
    unsubscribe: {
      summary: 'Ends listening to a channel',
      schema: CLIENT_MESSAGES.unsubscribe,
      example: { type: 'unsubscribe', channel: 'contracts' },
      answers: ['unsubscribed', 'error'],
    },
    ping: {
      summary: 'Asks for a sign of life',
      schema: CLIENT_MESSAGES.ping,
      example: { type: 'ping' },
      answers: ['pong'],
    },
  },
  answers: {
    authenticated: {
      summary: 'The credential stands',
      schema: ANSWERS.authenticated,
      example: { type: 'authenticated' },
    },
    subscribed: {
      summary: 'From now on updates of the channel come, those that were missed first',
      schema: ANSWERS.subscribed,
      example: { type: 'subscribed', channel: 'contracts', seq: 57 },
    },
    gap: {
      summary: 'Some of what was missed is kept no more: read the present state by REST',
      schema: ANSWERS.gap,
      example: { type: 'gap', channel: 'contracts', from: 43 },
    },
    unsubscribed: {
      summary: 'No more updates of the channel come',
      schema: ANSWERS.unsubscribed,
      example: { type: 'unsubscribed', channel: 'contracts' },
    },
    pong: { summary: 'A sign of life', schema: ANSWERS.pong, example: { type: 'pong' } },
    error: {
      summary: 'What was wrong with a message; the connection stays',
      schema: ANSWERS.error,
      example: {
        type: 'error',
        error: { code: 'invalid_request', message: `channel: must be one of ${SOCKET_CHANNELS.join(', ')}` },
      },
    },
  },
  updates: UPDATES,
};
