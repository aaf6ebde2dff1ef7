/**
 * Requests to any operation of an OpenAPI document: shaped by its schemas, now and then wrong in one place or altogether, by callers of
 * every kind, signed well or badly.
 */
import fc from 'fast-check';
import { FORM } from '../../src/hooks/input/form-bodies.ts';
import type { Json } from '../builders/app.ts';
import type { BuiltRequest } from '../builders/operation-calls.ts';

export interface ArbitraryRequest {
  /** operationId */
  readonly operation: string;
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
  /** Which of the callers there are; taken modulo their number, the first ones more often. */
  readonly caller: number;
  readonly signing: SigningMode;
  /** A request that would succeed, as it stands: the rest of this is not sent, but for the signing. */
  readonly whole: BuiltRequest | null;
}

/** What becomes of the signature; `well` is how a client would do it. */
const SIGNING_MODES = ['well', 'none', 'stale', 'early', 'used', 'foreign', 'cut', 'twice', 'noise', 'always'] as const;
export type SigningMode = (typeof SIGNING_MODES)[number];

/** Values that mean something to the service, by the names of the fields that take them. */
export type Dictionary = Readonly<Record<string, readonly unknown[]>>;

type JsonSchema = Record<string, unknown>;

const NASTY = [
  ...['', ' ', '0', '-0', '-1', '+1', '.5', '1.', '1e400', 'NaN', 'Infinity', 'max', 'null', '0x10', '21000000'],
  ...[
    '21000000.00000001',
    '0.000000001',
    '99999999999999999999',
    '9'.repeat(400),
    "'; drop table coins; --",
    '%',
    '_%',
  ],
  ...[
    '../../etc/passwd',
    '%00',
    '\u0000',
    '\ud800',
    '\u202e',
    '😀'.repeat(60),
    'é'.repeat(300),
    '__proto__',
    'constructor',
  ],
  ...['toString', '{}', '[object Object]', 'a'.repeat(20_000), '2026-13-45', '9999-12-31', '0000-01-01'],
  ...['2026-01-01T00:00:00+99:99', 'ab'.repeat(32), `${'ab'.repeat(32)}:4294967296`],
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

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
/** Percent-encoded where it can be; a lone surrogate can't. */
const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());

export function arbitraryRequest(
  document: Json,
  { dictionary, whole }: { dictionary: Dictionary; whole: readonly BuiltRequest[] },
): fc.Arbitrary<ArbitraryRequest> {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const made = fc.oneof(...operations.map((one) => arbitraryOperation(one, document, dictionary)));
  return fc
    .tuple(made, rarely(12, fc.constantFrom(...whole)))
    .map(([request, other]) =>
      other === null ? request : { ...request, operation: other.operation.id, whole: other },
    );
}

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

function arbitraryOperation(
  { path, method, operation }: Described,
  document: Json,
  dictionary: Dictionary,
): fc.Arbitrary<ArbitraryRequest> {
  const values = createValues(document, dictionary);
  const parameters = ((operation.parameters ?? []) as Json[]).map((one) => resolved(one, document));
  const [type, content] = Object.entries<Json>(operation.requestBody?.content ?? {})[0] ?? [];
  return fc
    .tuple(
      arbitraryPath(path, dictionary),
      arbitraryQuery(
        parameters.filter((one) => one.in === 'query'),
        values,
      ),
      arbitraryBody(type, content?.schema, values, dictionary),
      arbitraryKey,
      rarely(15, fc.constantFrom(...HEADERS)),
      fc.nat({ max: 999 }),
      arbitrarySigning,
    )
    .map(([target, query, body, key, odd, caller, signing]) => ({
      operation: operation.operationId,
      method,
      target: target + query,
      headers: { ...(body === null ? {} : { 'content-type': type ?? 'application/json' }), ...key, ...odd },
      body,
      caller,
      signing,
      whole: null,
    }));
}

const resolved = (node: Json, document: Json): Json =>
  typeof node?.$ref === 'string'
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, name: string) => at[name], document)
    : node;

const arbitrarySigning: fc.Arbitrary<SigningMode> = fc.oneof(
  { weight: 24, arbitrary: fc.constant<SigningMode>('well') },
  { weight: 3, arbitrary: fc.constantFrom(...SIGNING_MODES) },
);

const arbitraryKey: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  { weight: 6, arbitrary: fc.uuid().map((key) => ({ 'idempotency-key': key })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('again', 'paid', '\u00e9', '', 'a b').map((key) => ({ 'idempotency-key': key })),
  },
);

interface Values {
  of(schema: JsonSchema, field: string): fc.Arbitrary<unknown>;
  object(schema: JsonSchema): fc.Arbitrary<unknown>;
}

/** Values of JSON schemas; `field` finds them in the dictionary. */
function createValues(document: Json, dictionary: Dictionary): Values {
  function of(given: JsonSchema, field: string): fc.Arbitrary<unknown> {
    const schema: JsonSchema = resolved(given, document);
    // Of an array's values, not of the array.
    const known = schema.type === 'array' ? [] : (dictionary[field] ?? []);
    const examples = Array.isArray(schema.examples) ? schema.examples : [];
    const telling = [...known, ...examples];
    const good = shaped(schema, field);
    return fc.oneof(
      {
        weight: 40,
        arbitrary: telling.length === 0 ? good : fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...telling) }, good),
      },
      { weight: 1, arbitrary: noise },
    );
  }

  function shaped(schema: JsonSchema, field: string): fc.Arbitrary<unknown> {
    const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (alternatives) return fc.oneof(...alternatives.map((one) => of(one, field)));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    switch (schema.type) {
      case 'object':
        return object(schema);
      case 'array':
        return fc.array(of((schema.items ?? {}) as JsonSchema, field), { maxLength: 4 });
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

  function object(schema: JsonSchema): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
    const required = new Set((schema.required ?? []) as string[]);
    const members = properties.map(([name, member]) =>
      fc.tuple(
        fc.constant(name),
        fc.integer({ min: 0, max: 99 }).map((draw) => draw < (required.has(name) ? 99 : 10)),
        of(member, name),
      ),
    );
    const surprise = rarely(40, fc.tuple(fc.string({ maxLength: 12 }), noise));
    return fc.tuple(fc.tuple(...members), surprise).map(([all, extra]) => {
      const given = all.filter(([, wanted]) => wanted).map(([name, , value]) => [name, value] as const);
      return Object.fromEntries(extra === null ? given : [...given, extra]);
    });
  }

  return { of, object };
}

function arbitraryPath(path: string, dictionary: Dictionary): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const odd = ['%', '%2', '%2f', '%2e%2e', '%00', '%ff', '%C0%AF', '..', ';', '@', '*', '%E2%82%AC'];
  const value = (name: string) =>
    fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...(dictionary[name] ?? ['x'])).map((known) => escaped(String(known))) },
      { weight: 1, arbitrary: noise.map((bad) => escaped(asText(bad).slice(0, 600)) || '0') },
      { weight: 1, arbitrary: fc.constantFrom(...odd) },
    );
  return fc.tuple(...names.map(value)).map((values) => {
    let next = 0;
    return path.replaceAll(/\{\w+\}/g, () => values[next++] as string);
  });
}

function arbitraryQuery(parameters: readonly Json[], values: Values): fc.Arbitrary<string> {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return values.object({ properties, required }).map((query) => {
    const pairs = Object.entries(query as object).map(([name, value]) => `${escaped(name)}=${escaped(asText(value))}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  });
}

function arbitraryBody(
  type: string | undefined,
  schema: Json,
  values: Values,
  dictionary: Dictionary,
): fc.Arbitrary<Buffer | null> {
  const nothing = fc.constant(null);
  const raw = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');
  if (type === undefined) return fc.oneof({ weight: 20, arbitrary: nothing }, noise.map(text));
  const known = (dictionary[type] ?? []) as readonly string[];
  if (type === FORM) {
    const form = (value: unknown) =>
      new URLSearchParams(
        Object.entries(value as object).map(([name, one]): [string, string] => [name, asText(one)]),
      ).toString();
    return fc.oneof({ weight: 20, arbitrary: values.object(schema).map((value) => Buffer.from(form(value))) }, raw);
  }
  if (type !== 'application/json') {
    const telling = known.length === 0 ? fc.string() : fc.constantFrom(...known);
    const cut = fc.tuple(telling, fc.nat({ max: 200 })).map(([whole, at]) => whole.slice(0, at));
    return fc.oneof(
      { weight: 12, arbitrary: telling.map((one) => Buffer.from(one)) },
      cut.map((one) => Buffer.from(one)),
      raw,
    );
  }
  const good = values.of(schema, '').map(text);
  const cut = fc.tuple(good, fc.nat({ max: 200 })).map(([whole, at]) => whole.subarray(0, at));
  return fc.oneof({ weight: 30, arbitrary: good }, cut, raw, nothing);
}

const HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': ';' },
  { 'content-encoding': 'br' },
  { accept: 'application/json; version=1' },
  { accept: 'application/json; version=2' },
  { accept: '*/*;q=0' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer a.b.c' },
  { authorization: `Bearer ak_00000000_${'0'.repeat(43)}` },
  { 'x-request-id': "'" },
  { 'x-forwarded-for': '1.1.1.1, nonsense' },
  { origin: 'https://elsewhere.test' },
  { host: 'elsewhere.test' },
  { 'content-digest': 'sha-256=:AAAA:' },
  {
    'signature-input': 'sig=("@method" "authorization");created=1;keyid="x";nonce="n";tag="ashlar"',
    signature: 'sig=:AAAA:',
  },
  { 'signature-input': 'sig=(', signature: ':' },
];
