/** What schemas of requests and answers must be. Every boot checks all of them: each is looked at once in a process, as it stands. */
import type { z } from 'zod';
import type { AnyOperation } from '../operation.ts';

type Schema = z.core.$ZodType;

/** Have no form in JSON: a description of them could not be made. */
const NO_JSON = new Set('bigint custom date function map nan set symbol transform undefined void'.split(' '));

const BOUNDS = new Set(['max_length', 'length_equals']);

const strict = new WeakSet<Schema>();
const representable = new WeakSet<Schema>();

/** Throws where a part of a request would let an unknown field through unseen, or a list of any length, or what is sent has no JSON. */
export function assertWire(operation: AnyOperation): void {
  for (const part of ['params', 'query', 'body'] as const) {
    assertAll(operation[part], strict, laxity, `${operation.id}: ${part}`);
    assertAll(operation[part], representable, unrepresentable, `${operation.id}: ${part}`);
  }
  const { schema, status, contentType } = operation.success;
  if (status !== 204 && contentType === undefined) {
    assertAll(schema, representable, unrepresentable, `${operation.id}: answer`);
  }
}

function assertAll(
  schema: Schema | undefined,
  right: WeakSet<Schema>,
  problemOf: (schema: Schema) => string | null,
  where: string,
): void {
  if (schema === undefined || right.has(schema)) return;
  const problem = problemOf(schema);
  if (problem !== null) throw new Error(`${where} has ${problem}`);
  right.add(schema);
  for (const one of within(schema)) assertAll(one, right, problemOf, where);
}

function laxity({ _zod }: Schema): string | null {
  const { type, catchall, checks = [] } = _zod.def as z.core.$ZodTypeDef & { catchall?: Schema };
  if (type === 'object' && catchall === undefined) return 'an object that is not strict: use z.strictObject';
  return type === 'array' && !checks.some((check) => BOUNDS.has(check._zod.def.check))
    ? 'a list without a bound: give it .max(), by which it is cut before its members are checked'
    : null;
}

const unrepresentable = ({ _zod: { def } }: Schema): string | null =>
  NO_JSON.has(def.type) ? `a ${def.type}, which JSON does not have` : null;

/** The schemas that one is made of, in its wire form: of a codec its input. */
function within({ _zod }: Schema): Schema[] {
  const { def, innerType } = _zod as unknown as { def: Readonly<Record<string, unknown>>; innerType: unknown };
  if (def.type === 'lazy') return [innerType].filter(isSchema);
  if (def.type === 'object') return [...Object.values(def.shape as object), def.catchall].filter(isSchema);
  const { in: wire, out } = def as { in?: Schema; out?: Schema };
  if (def.type === 'pipe') return [wire?._zod.def.type === 'transform' ? out : wire].filter(isSchema);
  const { checks: _, ...parts } = def;
  return Object.values(parts).flat().filter(isSchema);
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && '_zod' in value;
