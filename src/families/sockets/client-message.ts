/** What a client may say, as each socket reads it. */
import { z } from 'zod';
import { closestName } from '../../core/closest-name.ts';
import type { OfferedChannel } from '../../core/events/channels.ts';
import { mistakeIn } from '../../hooks/input/bodies.ts';
import { fieldNames } from '../../hooks/input/field-names.ts';
import { issueText } from '../../hooks/input/issue-texts.ts';
import { suggestName } from '../../hooks/input/suggest-name.ts';
import { SocketError } from './socket-error.ts';

/** A message as a connection takes it, whatever its socket calls the credential. */
export type ClientMessage<Presented> =
  | { readonly type: 'auth'; readonly credential: Presented }
  | {
      readonly type: 'subscribe';
      readonly channel: OfferedChannel;
      readonly after?: number | undefined;
      readonly at?: number | undefined;
      readonly times?: true | undefined;
    }
  | { readonly type: 'unsubscribe'; readonly channel: OfferedChannel }
  | { readonly type: 'ping' };

/** All but how a client authenticates. `channel`: the member that names one, of a socket that has several. */
export const clientMessages = <C extends z.ZodRawShape>(channel: C) => ({
  subscribe: z
    .strictObject({
      type: z.literal('subscribe'),
      ...channel,
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
    .refine(
      (given) => (given as { at?: number }).at === undefined || (given as { after?: number }).after !== undefined,
      { path: ['at'], message: 'goes with after' },
    ),
  unsubscribe: z.strictObject({ type: z.literal('unsubscribe'), ...channel }),
  ping: z.strictObject({ type: z.literal('ping') }),
});

/** Parses text frames by these schemas, named by their type. Throws SocketError `invalid_request` that says what is wrong. */
export function createParser<const M extends Readonly<Record<string, z.ZodType>>>(
  messages: M,
): (text: string) => z.output<M[keyof M]> {
  const types = Object.keys(messages);
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new SocketError('invalid_request', `the message is not valid JSON${mistakeIn(text)}`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new SocketError('invalid_request', 'a message is a JSON object with a type');
    }
    const { type } = value as { type?: unknown };
    if (typeof type !== 'string' || !Object.hasOwn(messages, type)) {
      throw new SocketError('invalid_request', `type: ${oneOf(types, type)}`);
    }
    const schema = messages[type] as M[keyof M];
    const parsed = schema.safeParse(value, { error: issueText, reportInput: true });
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    if (unknown === undefined) throw new SocketError('invalid_request', `${issue.path.join('.')}: ${problemOf(issue)}`);
    const near = suggestName(unknown, fieldNames(schema));
    const hint = near === null ? '' : `: did you mean ${near}?`;
    throw new SocketError('invalid_request', `${unknown}: is not a field of this message${hint}`);
  };
}

const problemOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : issue.message;

export function oneOf(names: readonly string[], given: unknown): string {
  const near = typeof given === 'string' ? closestName(given, names) : null;
  return `must be one of ${names.join(', ')}${near === null ? '' : `: did you mean ${near}?`}`;
}
