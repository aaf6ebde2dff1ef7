/** What of a body is checked against its schema, wherever it was parsed. */
import type { AnyOperation } from '../operation.ts';
import { clipped } from './clip.ts';
import { FORM } from './form-bodies.ts';
import { documentationSchema, type JsonSchema } from './wire-schema.ts';

/** Bytes of a body that is checked within some milliseconds, whatever it says. */
export const SMALL = 32 * 1024;
const bodySchemas = new WeakMap<AnyOperation, JsonSchema>();

/** `bytes`: of its text; 0 where there was none. */
export function givenBody(operation: AnyOperation, body: unknown, bytes: number): unknown {
  if (bytes <= SMALL || operation.body === undefined) {
    return body ?? (operation.bodyContentType === FORM ? {} : undefined);
  }
  const schema = bodySchemas.get(operation) ?? documentationSchema(operation.body, 'input');
  bodySchemas.set(operation, schema);
  return clipped(body ?? undefined, schema);
}
