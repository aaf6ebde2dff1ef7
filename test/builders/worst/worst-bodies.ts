/** Bodies that cost as much as any of their size: made from an operation's schema and its limit of bytes, right ones and wrong ones. */
import { documentationSchema } from '../../../src/hooks/input/wire-schema.ts';
import { type AnyOperation, BODY_LIMIT } from '../../../src/hooks/operation.ts';
import { largestValue } from './largest-value.ts';

type Schema = Parameters<typeof largestValue>[0];

/** Each by what it has most of. */
export function worstBodies(operation: AnyOperation): Record<string, Buffer> {
  const { body, bodyContentType, bodyLimit: limit = BODY_LIMIT } = operation;
  if (body === undefined || bodyContentType !== undefined) return {};
  const schema = documentationSchema(body) as Schema;
  const whole = largestValue(schema, limit) as Record<string, unknown>;
  const lists = Object.entries(whole ?? {}).filter(([, value]) => Array.isArray(value));
  const texts = Object.entries(whole ?? {}).filter(([, value]) => typeof value === 'string');
  const holding = (name: string, value: string): Buffer => {
    const rest = Object.entries(example(operation)).filter(([other]) => other !== name);
    const others = rest.map(([other, one]) => `,${JSON.stringify(other)}:${JSON.stringify(one)}`).join('');
    return Buffer.from(`{${JSON.stringify(name)}:${value}${others}}`);
  };
  const room = limit - JSON.stringify(example(operation)).length - 1_000;
  return {
    'largest value': Buffer.from(JSON.stringify(whole)),
    ...first(texts, ([name]) => ({
      characters: holding(name, `"${'a'.repeat(room)}"`),
      escapes: holding(name, `"${'\\"'.repeat(room / 2)}"`),
      'wide characters': holding(name, `"${'€'.repeat(room / 3)}"`),
    })),
    ...first(lists, ([name]) => ({
      members: holding(name, `[${'0,'.repeat(room / 2)}0]`),
      texts: holding(name, `[${'"",'.repeat(room / 3)}""]`),
      objects: holding(name, `[${'{},'.repeat(room / 3)}{}]`),
    })),
  };
}

/** What no operation takes. */
export function malformedBodies({
  body,
  bodyContentType,
  bodyLimit: limit = BODY_LIMIT,
}: AnyOperation): Record<string, Buffer> {
  if (body === undefined || bodyContentType !== undefined) return {};
  return {
    fields: fields(limit),
    nesting: Buffer.from(`[${`${'['.repeat(30)}${']'.repeat(30)},`.repeat((limit - 10) / 61)}0]`),
    braces: Buffer.from('{'.repeat(limit)),
  };
}

/** `{"k0":0,"k1":0,…}` of so many bytes. */
function fields(limit: number): Buffer {
  const names: string[] = [];
  for (let size = 2; ; ) {
    const field = `"${names.length.toString(36)}":0`;
    size += field.length + 1;
    if (size > limit) return Buffer.from(`{${names.join(',')}}`);
    names.push(field);
  }
}

const example = (operation: AnyOperation): object => (operation.example?.body as object | undefined) ?? {};

const first = <T>(those: readonly T[], make: (one: T) => Record<string, Buffer>): Record<string, Buffer> =>
  those[0] === undefined ? {} : make(those[0]);
