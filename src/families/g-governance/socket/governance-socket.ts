/** /v1/governance/ws as it is published. */

import { closeTable, describeSocket } from '../../sockets/describe-socket.ts';
import { CLOSE } from '../../sockets/outbox.ts';
import { ANSWERS, CHALLENGE, CLIENT_MESSAGES, UPDATES } from './governance-messages.ts';

const DESCRIPTION = `What happens in the account's DAO: proposals, votes, executions, delegations, the treasury. The service speaks first: \`challenge\`. The first message of a
client is \`auth\`, within 10 s, with an API key, or with the keyid of an enrolled key and its signature over three lines:
\`ashlar-governance-ws\`, the authority that was connected to (\`@authority\` of RFC 9421: host, and port where it is not the scheme's default; one of the service's own),
and the challenge; lines are parted by \\n, none is behind the last. The signature is the bare 64 bytes (Ed25519, or ECDSA as r and s) in base64. A person's key does as long as a session lives whose login it signed.

\`subscribe\` has no channel. \`seq\`, \`after\`, \`at\`, \`times\`, \`gap\` and what may be stored of them are as on \`/v1/ws\`: updates come in order, each once, and are kept 30 days.

Each process of the service keeps one connection of a credential: an API key, or a person's key. While it is open a second one is closed with
${CLOSE.conflict}; the open one is pinged first, and where nothing comes from it for 5 s it is dropped and the new one is let in. The connection is closed when its
credential no longer stands, and when it has lost \`governance:read\`. Messages, pings and bounds are as on \`/v1/ws\`.

${closeTable(Object.keys(CLOSE) as (keyof typeof CLOSE)[])}`;

export const governanceSocket = describeSocket({
  name: 'governance',
  prefix: 'governance-',
  path: '/v1/governance/ws',
  title: 'Updates of governance',
  description: DESCRIPTION,
  schemas: { ...CLIENT_MESSAGES, ...ANSWERS },
  auth: {
    summary: 'Says who the client is: an API key, or a signature over the challenge',
    schema: CLIENT_MESSAGES.auth,
    example: { type: 'auth', api_key: 'ak_…' },
    answers: ['authenticated', 'error'],
  },
  channel: {},
  mistake: 'after: must be a seq: a whole number',
  updates: {
    challenge: {
      summary: 'What a client signs that authenticates by a key',
      scope: null,
      schema: CHALLENGE,
      example: { type: 'challenge', challenge: 'tJ2v0m3b0y6Qf8Yw1pKz5RrVn7sXcU4dLhGaEoIiTqM' },
    },
    ...UPDATES,
  },
});
