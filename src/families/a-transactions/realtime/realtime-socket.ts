/** /v1/ws as it is published: from the schemas by which it is read and written. */
import { SOCKET_CHANNELS } from '../../../core/events/channels.ts';
import { CLOSE_REASONS, closeTable, describeSocket } from '../../sockets/describe-socket.ts';
import { SOCKET_BOUNDS } from '../../sockets/open-sockets.ts';
import { CLIENT_MESSAGES } from './client-message.ts';
import { ANSWERS, UPDATES } from './server-message.ts';

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

${closeTable(CLOSE_REASONS)}`;

export const realtimeSocket = describeSocket({
  name: 'updates',
  prefix: '',
  path: '/v1/ws',
  title: 'Live updates',
  description: DESCRIPTION,
  schemas: { ...CLIENT_MESSAGES, ...ANSWERS },
  auth: {
    summary: 'Says who the client is: an API key, or an access token',
    description:
      'Again with another credential of the same account: a token that is about to end is renewed so. Of another subject it is refused while this one listens to their notifications.',
    schema: CLIENT_MESSAGES.auth,
    example: { type: 'auth', api_key: 'ak_…' },
    answers: ['authenticated', 'error'],
  },
  channel: { channel: 'contracts' },
  mistake: `channel: must be one of ${SOCKET_CHANNELS.join(', ')}`,
  updates: UPDATES,
});
