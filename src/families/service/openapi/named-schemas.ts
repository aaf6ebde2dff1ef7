/** The schemas of the document, each under its name: the one that it was declared with (`.meta({ id })`), or its operation's. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type JsonSchema, namedSchema } from '../../../hooks/input/wire-schema.ts';

const DEFS = '#/$defs/';
export const SCHEMAS = '#/components/schemas/';

export class NamedSchemas {
  readonly #schemas: Record<string, JsonSchema> = {};
  readonly #examples = new Map<string, unknown>();

  /** A reference to it. `name`: where it has none of its own. The first example of a schema is kept. */
  reference(schema: z.ZodType, io: 'input' | 'output', name: string, example: unknown): { $ref: string } {
    const written = this.write(schema, io);
    const { $ref = SCHEMAS + name } = written as { $ref?: string };
    if (written.$ref === undefined) this.#keep(name, written);
    if (!this.#examples.has($ref)) this.#examples.set($ref, example);
    return { $ref };
  }

  /** By name, with their examples; but for those of pages whose records have one. What has all that another has says so. */
  *all(): Generator<[name: string, schema: JsonSchema]> {
    const objects = Object.entries(this.#schemas).filter(([, schema]) => schema.properties !== undefined);
    for (const [name, schema] of Object.entries(this.#schemas).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const example = this.#examples.get(SCHEMAS + name);
      const record = (schema.properties as { data?: { items?: { $ref?: string } } } | undefined)?.data?.items?.$ref;
      const told = example === undefined || (record !== undefined && this.#examples.has(record));
      yield [name, extended(told ? schema : { ...schema, examples: [example] }, objects)];
    }
  }

  /** It itself, which refers to those within that have names. */
  write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $defs = {}, ...rest } = moved(namedSchema(schema, io));
    for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>)) this.#keep(name, definition);
    return rest;
  }

  #keep(name: string, schema: JsonSchema): void {
    const known = this.#schemas[name];
    if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas have the name ${name}`);
    this.#schemas[name] = schema;
  }
}

/** As the largest of the others that it extends, and the rest. Only what is open can be extended: answers, not requests. */
function extended(schema: JsonSchema, objects: readonly (readonly [name: string, schema: JsonSchema])[]): JsonSchema {
  const { properties, required = [], ...others } = schema as ObjectSchema;
  if (properties === undefined || schema.additionalProperties !== undefined) return schema;
  const within = ([, base]: readonly [string, JsonSchema]): boolean =>
    base.additionalProperties === undefined &&
    size(base) >= SMALLEST_BASE &&
    size(base) < size(schema) &&
    Object.entries(propertiesOf(base)).every(
      ([name, one]) => JSON.stringify(properties[name]) === JSON.stringify(one),
    ) &&
    requiredOf(base).every((name) => required.includes(name));
  const [[name, base] = []] = objects.filter(within).sort(([, a], [, b]) => size(b) - size(a));
  if (base === undefined) return schema;
  const rest = (members: object): object =>
    Object.fromEntries(Object.entries(members).filter(([one]) => !(one in propertiesOf(base))));
  const more = required.filter((one) => !requiredOf(base).includes(one));
  const { type, examples, ...said } = others;
  const shown = examples?.map(rest).filter((one) => Object.keys(one).length > 0) ?? [];
  const own = {
    type,
    properties: rest(properties),
    ...(more.length === 0 ? {} : { required: more }),
    ...(shown.length === 0 ? {} : { examples: shown }),
  };
  return { ...said, allOf: [{ $ref: SCHEMAS + name }, own] };
}

/** Properties that a schema has at least that others extend. */
const SMALLEST_BASE = 5;

interface ObjectSchema extends JsonSchema {
  properties?: Record<string, unknown>;
  required?: readonly string[];
  examples?: readonly object[];
}
const propertiesOf = (schema: JsonSchema): Record<string, unknown> => (schema as ObjectSchema).properties ?? {};
const requiredOf = (schema: JsonSchema): readonly string[] => (schema as ObjectSchema).required ?? [];
const size = (schema: JsonSchema): number => Object.keys(propertiesOf(schema)).length;

const moved = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"${DEFS}`, `"${SCHEMAS}`));

/** `wallet-utxo.lock` is LockWalletUtxo. */
export const typeNameOf = (id: string): string =>
  id
    .split('.')
    .reverse()
    .join('-')
    .replaceAll(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());
