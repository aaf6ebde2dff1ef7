import type { z } from 'zod';

/** Names of an object schema's fields, looked for behind optional, nullable, pipes and in each member of a union. */
export function fieldNames(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const inner = schema as { shape?: object; unwrap?: () => z.ZodType; in?: z.ZodType; options?: readonly z.ZodType[] };
  if (inner.shape !== undefined) return Object.keys(inner.shape);
  if (inner.options !== undefined && Array.isArray(inner.options))
    return inner.options.flatMap((one) => (isSchema(one) ? fieldNames(one) : []));
  if (inner.unwrap !== undefined) return fieldNames(inner.unwrap());
  return isSchema(inner.in) ? fieldNames(inner.in) : [];
}

export const isSchema = (value: unknown): value is z.ZodType =>
  typeof value === 'object' && value !== null && 'safeParse' in value;
