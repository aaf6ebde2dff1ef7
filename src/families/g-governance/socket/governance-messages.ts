/** What is said on /v1/governance/ws. Updates are serialized elsewhere (events/event-message.ts), in the form that stands here. */
import { z } from 'zod';
import { CHANNELS } from '../../../core/events/channels.ts';
import { GOVERNANCE_KINDS } from '../../../core/events/governance-kinds.ts';
import type { SocketDescription } from '../../../hooks/socket-description.ts';
import { type ClientMessage, clientMessages, createParser } from '../../sockets/client-message.ts';
import { answers, atField, seqField } from '../../sockets/server-message.ts';

export type PresentedCredential = { readonly apiKey: string } | { readonly keyId: string; readonly signature: string };

export const CLIENT_MESSAGES = {
  auth: z
    .strictObject({
      type: z.literal('auth'),
      api_key: z.string('must be an API key').optional(),
      keyid: z.string('must be the keyid of an enrolled key').max(100, 'must have at most 100 characters').optional(),
      signature: z
        .string('must be a signature in base64')
        .regex(/^[A-Za-z0-9+/_-]{80,100}={0,2}$/, 'must be a signature of 64 bytes in base64 or base64url')
        .optional(),
    })
    .meta({ oneOf: [{ required: ['api_key'] }, { required: ['keyid', 'signature'] }] })
    .transform(({ api_key: apiKey, keyid: keyId, signature }, context) => {
      const signed = keyId !== undefined && signature !== undefined;
      if (apiKey === undefined && signed) return { type: 'auth', credential: { keyId, signature } } as const;
      if (apiKey !== undefined && keyId === undefined && signature === undefined)
        return { type: 'auth', credential: { apiKey } } as const;
      const message = 'or keyid and signature are needed, not both';
      context.issues.push({ code: 'custom', message, input: apiKey, path: ['api_key'] });
      return z.NEVER;
    }),
  ...clientMessages({}),
};

const parse = createParser(CLIENT_MESSAGES);

/** Throws SocketError `invalid_request` that says what is wrong. */
export const parseGovernanceMessage = (text: string): ClientMessage<PresentedCredential> => {
  const message = parse(text);
  return 'credential' in message || message.type === 'ping' ? message : { ...message, channel: 'governance' };
};

export const ANSWERS = answers({});

export const CHALLENGE = z.strictObject({ type: z.literal('challenge'), challenge: z.string() });

function updateOf(type: string, { summary, data, example }: (typeof GOVERNANCE_KINDS)[keyof typeof GOVERNANCE_KINDS]) {
  const { proposal_id, ...members }: z.ZodRawShape = data.shape;
  const { proposal_id: id, ...told }: { readonly proposal_id?: string; readonly [member: string]: unknown } = example;
  const schema = z.strictObject({
    type: z.literal(type),
    ...(proposal_id !== undefined && { proposal_id }),
    seq: seqField.meta({ description: 'One sequence with all other updates of all accounts: gaps are these' }),
    at: atField,
    data: z.strictObject(members),
  });
  const of = id === undefined ? {} : { proposal_id: id };
  return { summary, scope: CHANNELS.governance.access.scope, schema, example: { type, ...of, seq: 42, data: told } };
}

export const UPDATES: SocketDescription['updates'] = Object.fromEntries(
  Object.entries(GOVERNANCE_KINDS).map(([type, kind]) => [type, updateOf(type, kind)]),
);
