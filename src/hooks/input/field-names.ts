import { z } from 'zod';

/** What z.preprocess prepares for: what its own function takes says nothing. */
const prepared = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform ? (schema.out as z.ZodType) : schema;

/** Names of an object schema's fields, looked for behind optional, nullable, pipes and in each member of a union. */
export function fieldNames(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const inner = prepared(schema) as {
    shape?: object;
    unwrap?: () => z.ZodType;
    in?: z.ZodType;
    options?: readonly z.ZodType[];
  };
  if (inner.shape !== undefined) return Object.keys(inner.shape);
  if (inner.options !== undefined && Array.isArray(inner.options))
    return inner.options.flatMap((one) => (isSchema(one) ? fieldNames(one) : []));
  if (inner.unwrap !== undefined) return fieldNames(inner.unwrap());
  return isSchema(inner.in) ? fieldNames(inner.in) : [];
}

export const isSchema = (value: unknown): value is z.ZodType =>
  typeof value === 'object' && value !== null && 'safeParse' in value;

/** The names of an object's fields, at `path` within what a schema takes. */
export const namesAt = (schema: z.ZodType, path: readonly PropertyKey[]): string[] =>
  schemasAt(schema, path).flatMap(fieldNames);

/** Whether what stands at `path` may be left out. */
export const isOptionalAt = (schema: z.ZodType, path: readonly PropertyKey[]): boolean =>
  schemasAt(schema, path).some((one) => prepared(one)._zod.optin === 'optional');

/** Names of the fields that an object cannot do without; none of a union, whose members differ in them. */
export function requiredNames(schema: z.ZodType): string[] {
  const inner = prepared(schema) as { shape?: object; unwrap?: () => z.ZodType; in?: z.ZodType };
  if (inner.shape !== undefined) return Object.keys(inner.shape).filter((name) => !isOptionalAt(schema, [name]));
  if (inner.unwrap !== undefined) return requiredNames(inner.unwrap());
  return isSchema(inner.in) ? requiredNames(inner.in) : [];
}

/** What a schema takes at `path`: of a union, what each member takes there. */
function schemasAt(schema: unknown, [key, ...rest]: readonly PropertyKey[]): z.ZodType[] {
  if (!isSchema(schema)) return [];
  if (key === undefined) return [schema];
  const inner = prepared(schema) as {
    shape?: Record<PropertyKey, unknown>;
    element?: unknown;
    in?: unknown;
    unwrap?: () => unknown;
    options?: readonly unknown[];
  };
  if (inner.shape !== undefined) return schemasAt(inner.shape[key], rest);
  if (inner.element !== undefined) return schemasAt(inner.element, rest);
  if (Array.isArray(inner.options)) return inner.options.flatMap((one) => schemasAt(one, [key, ...rest]));
  return schemasAt(inner.unwrap === undefined ? inner.in : inner.unwrap(), [key, ...rest]);
}
