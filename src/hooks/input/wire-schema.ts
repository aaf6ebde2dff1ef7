/** JSON Schemas out of zod schemas: as they stand for documentation, simplified for the serializer. */
import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** The descriptions of schemas without their names (`.meta({ id })`): with it, a schema is written out wherever it is used. */
class Unnamed extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): Record<string, unknown> | undefined {
    const { id: _, ...described } = z.globalRegistry.get(schema) ?? {};
    return described;
  }
}
const unnamed = new Unnamed();

/** In its wire form, which is a codec's input, in answers, too. */
function jsonSchema(schema: z.ZodType, options: Omit<z.core.ToJSONSchemaParams, 'io'> = {}): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { metadata: unnamed, ...options, io: 'input' }) as JsonSchema;
  return rest;
}

/** What a caller sends or gets, JSON Schema 2020-12. */
export const documentationSchema = (schema: z.ZodType): JsonSchema => jsonSchema(schema);

/**
 * The same as OpenAPI 3.1 takes it: schemas that have a name (`.meta({ id })`) stand under `$defs`, and are referred to. Answers (`output`) are
 * open: they may get more fields, which clients pass over.
 */
export const namedSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  jsonSchema(schema, {
    metadata: z.globalRegistry,
    override({ zodSchema: { _zod }, jsonSchema: written }) {
      const { def } = _zod;
      if (io === 'output' && def.type === 'object' && def.catchall === undefined) delete written.additionalProperties;
      // What every integer in JSON is, what the format says, and what every name is.
      if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum;
      if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum;
      if (written.format === 'date-time' || written.format === 'date') delete written.pattern;
      if (def.type === 'record') delete written.propertyNames;
    },
  });

/** The same for a message of a WebSocket, JSON Schema draft 7 as AsyncAPI 3.0 takes it. */
export const messageSchema = (schema: z.ZodType): JsonSchema => jsonSchema(schema, { target: 'draft-7' });

/** The answer's schema for fast-json-stringify: the shape alone, because tests check values, not each request. */
export const serializationSchema = (schema: z.ZodType): JsonSchema => shape(messageSchema(schema)) as JsonSchema;

const SHAPE_KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'nullable',
  'const',
  'definitions',
  '$ref',
]);

function shape(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const schema = node as JsonSchema;
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives !== undefined) {
    const values = alternatives.filter((alternative) => alternative.type !== 'null');
    const nullable = values.length < alternatives.length;
    const [first] = values;
    if (values.length === 1 && first !== undefined) {
      return { ...(shape(first) as JsonSchema), ...(nullable ? { nullable: true } : {}) };
    }
    if (values.every(({ type }) => type === 'string'))
      return { type: 'string', ...(nullable ? { nullable: true } : {}) };
    return { anyOf: alternatives.map(shape) };
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => SHAPE_KEYWORDS.has(keyword))
      .map(([keyword, value]) => {
        if (keyword === 'properties' || keyword === 'definitions') {
          const members = Object.entries(value as Record<string, unknown>);
          return [keyword, Object.fromEntries(members.map(([name, member]) => [name, shape(member)]))];
        }
        if (keyword === 'items' || keyword === 'additionalProperties') return [keyword, shape(value)];
        return [keyword, value];
      }),
  );
}
