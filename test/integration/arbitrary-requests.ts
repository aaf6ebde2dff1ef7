/** Requests to any operation: shaped by its schemas, now and then wrong in one place or altogether. */
import fc from 'fast-check';
import { FORM } from '../../src/hooks/form-bodies.ts';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { documentationSchema, type JsonSchema } from '../../src/hooks/wire-schema.ts';

export interface ArbitraryRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
}

/** Values that mean something to the service, by the names of the fields that take them. */
export type Dictionary = Readonly<Record<string, readonly unknown[]>>;

const NASTY = [
  ...[
    '',
    ' ',
    '0',
    '-0',
    '-1',
    '+1',
    '.5',
    '1.',
    '1e400',
    'NaN',
    'Infinity',
    'max',
    'null',
    '0x10',
    '21000000',
    '21000000.00000001',
  ],
  ...[
    '0.000000001',
    '99999999999999999999',
    '9'.repeat(400),
    "'; drop table coins; --",
    '%',
    '_%',
    '../../etc/passwd',
    '%00',
    '\u0000',
  ],
  ...[
    '\ud800',
    '\u202e',
    '😀'.repeat(60),
    'é'.repeat(300),
    '__proto__',
    'constructor',
    'toString',
    '{}',
    '[object Object]',
    'a'.repeat(20_000),
  ],
  ...[
    '2026-13-45',
    '9999-12-31',
    '0000-01-01',
    '2026-01-01T00:00:00+99:99',
    'ab'.repeat(32),
    `${'ab'.repeat(32)}:4294967296`,
  ],
];
const noise = fc.oneof(
  fc.constantFrom<unknown>(...NASTY),
  fc.constantFrom<unknown>(null, true, false, 0, -1, 0.5, 1e21, 2 ** 53, -(2 ** 63), [], {}, [[]], [null], { a: 1 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Null, except once in `times`. */
const rarely = <T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** A value of a JSON schema; `field` finds it in the dictionary. */
function arbitraryValue(schema: JsonSchema, field: string, dictionary: Dictionary): fc.Arbitrary<unknown> {
  // Of an array's values, not of the array.
  const known = schema.type === 'array' ? [] : (dictionary[field] ?? []);
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  const telling = [...known, ...examples];
  const good = shaped(schema, field, dictionary);
  return fc.oneof(
    {
      weight: 30,
      arbitrary: telling.length === 0 ? good : fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...telling) }, good),
    },
    { weight: 1, arbitrary: noise },
  );
}

function shaped(schema: JsonSchema, field: string, dictionary: Dictionary): fc.Arbitrary<unknown> {
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives) return fc.oneof(...alternatives.map((one) => arbitraryValue(one, field, dictionary)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return arbitraryObject(schema, dictionary);
    case 'array':
      return fc.array(arbitraryValue(schema.items as JsonSchema, field, dictionary), { maxLength: 4 });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom(-1, 101, 10_000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
      );
    default:
      return fc.oneof(fc.string({ maxLength: 30 }), fc.nat({ max: 200 }).map(String));
  }
}

function arbitraryObject(schema: JsonSchema, dictionary: Dictionary): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema.required ?? []) as string[]);
  const members = properties.map(([name, member]) =>
    fc.tuple(
      fc.constant(name),
      fc.integer({ min: 0, max: 99 }).map((draw) => draw < (required.has(name) ? 99 : 10)),
      arbitraryValue(member, name, dictionary),
    ),
  );
  const surprise = rarely(40, fc.tuple(fc.string({ maxLength: 12 }), noise));
  return fc.tuple(fc.tuple(...members), surprise).map(([all, extra]) => {
    const given = all.filter(([, wanted]) => wanted).map(([name, , value]) => [name, value] as const);
    return Object.fromEntries(extra === null ? given : [...given, extra]);
  });
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
/** Percent-encoded where it can be; a lone surrogate can't. */
const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());

function arbitraryPath(operation: AnyOperation, dictionary: Dictionary): fc.Arbitrary<string> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const value = (name: string) =>
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...(dictionary[name] ?? ['x'])).map((known) => escaped(String(known))) },
      { weight: 1, arbitrary: noise.map((bad) => escaped(asText(bad).slice(0, 600)) || '0') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '%',
          '%2',
          '%2f',
          '%2e%2e',
          '%00',
          '%ff',
          '%C0%AF',
          '..',
          ';',
          '@',
          '*',
          '%E2%82%AC',
        ),
      },
    );
  return fc.tuple(...names.map(value)).map((values) => {
    let next = 0;
    return operation.path.replaceAll(/\{\w+\}/g, () => values[next++] as string);
  });
}

function arbitraryQuery(operation: AnyOperation, dictionary: Dictionary): fc.Arbitrary<string> {
  const schema: JsonSchema = operation.query === undefined ? {} : documentationSchema(operation.query, 'input');
  return arbitraryObject(schema, dictionary).map((query) => {
    const pairs = Object.entries(query as object).map(([name, value]) => `${escaped(name)}=${escaped(asText(value))}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  });
}

/** Half characters cannot be sent in a form. */
const textPair = ([name, value]: [string, unknown]): [string, string] => [
  name.toWellFormed(),
  String(value).toWellFormed(),
];

function arbitraryBody(operation: AnyOperation, dictionary: Dictionary): fc.Arbitrary<string | Buffer | undefined> {
  if (operation.body === undefined) {
    return fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      noise.map((value) => JSON.stringify(value)),
    );
  }
  const raw = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  if (operation.bodyContentType === FORM) {
    const fields = arbitraryValue(documentationSchema(operation.body, 'input'), '', dictionary);
    const form = fields.map((value) => new URLSearchParams(Object.entries(Object(value)).map(textPair)).toString());
    return fc.oneof({ weight: 12, arbitrary: form }, raw, fc.constant(undefined));
  }
  if (operation.bodyContentType !== undefined) {
    const line = fc.record({
      type: fc.constantFrom('tx', 'addr', 'output', 'x'),
      ref: fc.constantFrom(...(dictionary.ref ?? [])),
      label: noise,
    });
    const lines = fc
      .array(fc.oneof(line, noise), { maxLength: 4 })
      .map((all) => all.map((one) => JSON.stringify(one)).join('\n'));
    return fc.oneof({ weight: 12, arbitrary: lines }, raw);
  }
  const schema = documentationSchema(operation.body, 'input');
  const good = arbitraryValue(schema, '', dictionary).map((value) => JSON.stringify(value));
  const cut = fc.tuple(good, fc.nat({ max: 200 })).map(([text, at]) => text.slice(0, at));
  return fc.oneof({ weight: 20, arbitrary: good }, cut, raw, fc.constant(undefined));
}

const HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': ';' },
  { 'content-encoding': 'br' },
  { 'idempotency-key': 'again' },
  { 'idempotency-key': '\u00e9' },
  { accept: 'application/json; version=2' },
  { accept: '*/*;q=0' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer ' },
  { 'x-request-id': "'" },
  { 'x-forwarded-for': '1.1.1.1, nonsense' },
];

export function arbitraryRequest(
  operations: readonly AnyOperation[],
  dictionary: Dictionary,
): fc.Arbitrary<ArbitraryRequest> {
  return fc.oneof(
    ...operations.map((operation) => {
      const type = operation.bodyContentType ?? 'application/json';
      return fc
        .tuple(
          arbitraryPath(operation, dictionary),
          arbitraryQuery(operation, dictionary),
          arbitraryBody(operation, dictionary),
          rarely(15, fc.constantFrom(...HEADERS)),
        )
        .map(([path, query, body, odd]) => ({
          operation: operation.id,
          method: operation.method,
          path: path + query,
          headers: { ...(body === undefined ? {} : { 'content-type': type }), ...odd },
          body,
        }));
    }),
  );
}
