/** What of a body is checked against its schema, wherever it was parsed. */
import type { AnyOperation } from '../operation.ts';
import { FORM } from './form-bodies.ts';
import { truncated } from './truncate.ts';
import { documentationSchema, type JsonSchema } from './wire-schema.ts';

/** Bytes of a body that is checked within some milliseconds, whatever it says. */
export const SMALL_BODY_BYTES = 32 * 1024;
const bodySchemas = new WeakMap<AnyOperation, JsonSchema>();

/** `bytes`: of its text; 0 where there was none. */
export function bodyToValidate(operation: AnyOperation, body: unknown, bytes: number): unknown {
  if (bytes <= SMALL_BODY_BYTES || operation.body === undefined) {
    return body ?? (operation.bodyContentType === FORM ? {} : undefined);
  }
  const schema = bodySchemas.get(operation) ?? documentationSchema(operation.body);
  bodySchemas.set(operation, schema);
  return truncated(body ?? undefined, schema);
}
