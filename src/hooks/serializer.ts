import fastJsonStringify from 'fast-json-stringify';
import type { z } from 'zod';
import { serializationSchema } from './input/wire-schema.ts';

type Serialize = (body: unknown) => string;

const made = new WeakMap<z.ZodType, Serialize>();

/** Gives the JSON text of what a schema describes. Compiled when it is first wanted: most services are asked for few of their answers. */
export function serializerOf(schema: z.ZodType): Serialize {
  let serialize = made.get(schema);
  if (serialize === undefined) {
    serialize = fastJsonStringify(serializationSchema(schema)) as Serialize;
    made.set(schema, serialize);
  }
  return serialize;
}
