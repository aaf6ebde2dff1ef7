import { z } from 'zod';
import { closestName } from '../../../core/closest-name.ts';
import { SOCKET_CHANNELS } from '../../../core/events/channels.ts';
import { mistakeIn } from '../../../hooks/input/bodies.ts';
import { fieldNames } from '../../../hooks/input/field-names.ts';
import { issueText } from '../../../hooks/input/issue-texts.ts';
import { suggestName } from '../../../hooks/input/suggest-name.ts';
import { RealtimeError } from './realtime-error.ts';

const channel = z.enum(SOCKET_CHANNELS, { error: ({ input }) => oneOf(SOCKET_CHANNELS, input) });

export const CLIENT_MESSAGES = {
  auth: z
    .strictObject({
      type: z.literal('auth'),
      api_key: z.string('must be an API key').optional(),
      access_token: z.string('must be an access token').optional(),
    })
    .meta({ oneOf: [{ required: ['api_key'] }, { required: ['access_token'] }] })
    .transform(({ api_key: apiKey, access_token: accessToken }, context) => {
      if (apiKey !== undefined && accessToken === undefined) return { type: 'auth', credential: { apiKey } } as const;
      if (apiKey === undefined && accessToken !== undefined) {
        return { type: 'auth', credential: { accessToken } } as const;
      }
      context.issues.push({
        code: 'custom',
        message: 'or access_token is needed, not both',
        input: apiKey,
        path: ['api_key'],
      });
      return z.NEVER;
    }),
  subscribe: z
    .strictObject({
      type: z.literal('subscribe'),
      channel,
      after: z.int('must be a seq: a whole number').min(0, 'must be a seq: 0 or above').optional(),
      at: z
        .int('must be the `at` of the update: a whole number')
        .min(0, 'must be the `at` of the update: 0 or above')
        .optional()
        .meta({ description: 'With `after`: the `at` that came with that number' }),
      times: z
        .literal(true, 'must be true, or left out')
        .optional()
        .meta({ description: 'Updates have `at`; so they have where `at` is given' }),
    })
    .refine(({ after, at }) => at === undefined || after !== undefined, { path: ['at'], message: 'goes with after' }),
  unsubscribe: z.strictObject({ type: z.literal('unsubscribe'), channel }),
  ping: z.strictObject({ type: z.literal('ping') }),
};

/** What a client authenticates with. */
export type PresentedCredential = { readonly apiKey: string } | { readonly accessToken: string };

/** What a client may say on /v1/ws. */
export type ClientMessage = {
  [T in keyof typeof CLIENT_MESSAGES]: z.output<(typeof CLIENT_MESSAGES)[T]>;
}[keyof typeof CLIENT_MESSAGES];

const TYPES = Object.keys(CLIENT_MESSAGES);

/** Parses one text frame. Throws RealtimeError `invalid_request` that says what is wrong. */
export function parseClientMessage(text: string): ClientMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RealtimeError('invalid_request', `the message is not valid JSON${mistakeIn(text)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RealtimeError('invalid_request', 'a message is a JSON object with a type');
  }
  const { type } = value as { type?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(CLIENT_MESSAGES, type)) {
    throw new RealtimeError('invalid_request', `type: ${oneOf(TYPES, type)}`);
  }
  const parsed = CLIENT_MESSAGES[type as keyof typeof CLIENT_MESSAGES].safeParse(value, {
    error: issueText,
    reportInput: true,
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  if (unknown === undefined) throw new RealtimeError('invalid_request', `${issue.path.join('.')}: ${problemOf(issue)}`);
  const near = suggestName(unknown, fieldNames(CLIENT_MESSAGES[type as keyof typeof CLIENT_MESSAGES]));
  const hint = near === null ? '' : `: did you mean ${near}?`;
  throw new RealtimeError('invalid_request', `${unknown}: is not a field of this message${hint}`);
}

const problemOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : issue.message;

function oneOf(names: readonly string[], given: unknown): string {
  const near = typeof given === 'string' ? closestName(given, names) : null;
  return `must be one of ${names.join(', ')}${near === null ? '' : `: did you mean ${near}?`}`;
}
