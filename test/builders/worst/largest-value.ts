/** The largest value that a JSON schema permits, as far as that can be told from it. */
import type { Json } from '../app.ts';

type JsonSchema = Record<string, unknown>;

const resolved = (schema: JsonSchema, root: JsonSchema): JsonSchema =>
  typeof schema.$ref === 'string'
    ? (schema.$ref
        .slice(2)
        .split('/')
        .filter(Boolean)
        .reduce((at: Json, name) => at[name], root) as JsonSchema)
    : schema;

/** Of at most so many bytes as JSON: arrays and strings are the shorter for it. */
export function largestValue(schema: JsonSchema, mostBytes: number): unknown {
  for (let share = 1; share > 1e-6; share /= 1.3) {
    const value = largest(schema, schema, { share, mostBytes });
    if (Buffer.byteLength(JSON.stringify(value) ?? '') <= mostBytes) return value;
  }
  throw new Error('there is no value so small');
}

interface Bounds {
  readonly share: number;
  readonly mostBytes: number;
}

function largest(given: JsonSchema, root: JsonSchema, bounds: Bounds): unknown {
  const schema = resolved(given, root);
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives !== undefined)
    return longest(alternatives.map((one) => largest({ examples: schema.examples, ...one }, root, bounds)));
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return longest(schema.enum);
  const upTo = (most: unknown): number =>
    Math.ceil(Math.min((most as number | undefined) ?? bounds.mostBytes, bounds.mostBytes) * bounds.share);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, one]) => [
          name,
          largest(one, root, bounds),
        ]),
      );
    case 'array': {
      const item = largest((schema.items ?? {}) as JsonSchema, root, { ...bounds, share: Math.sqrt(bounds.share) });
      const fit = Math.floor(bounds.mostBytes / ((JSON.stringify(item)?.length ?? 0) + 1));
      return Array.from(
        { length: Math.max((schema.minItems as number) ?? 0, Math.min(upTo(schema.maxItems), fit)) },
        () => item,
      );
    }
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.maximum ?? Number.MAX_SAFE_INTEGER;
    case 'null':
      return null;
    default:
      return text(schema, upTo(schema.maxLength));
  }
}

/** Repeated as long as it may be; what the pattern takes of these. */
const MATERIAL = ['ab', 'a', '1', '0', 'A', '/1', 'a.'] as const;

function text({ pattern, examples, maxLength }: JsonSchema, length: number): string {
  const example = Array.isArray(examples) && typeof examples[0] === 'string' ? examples[0] : null;
  const takes = typeof pattern === 'string' ? new RegExp(pattern, 'u') : null;
  const usual = [64, 66, 128, 130, 8, 32, 40].filter(() => maxLength === undefined);
  const made = MATERIAL.flatMap((one) =>
    [...usual, length, length - (length % 2), length - 1].map((size) =>
      one.repeat(Math.ceil(size / one.length)).slice(0, size),
    ),
  );
  if (takes === null)
    return example === null || maxLength !== undefined
      ? (made.find((one) => one.length === length) as string)
      : example;
  return (longest(made.filter((one) => takes.test(one))) as string | undefined) ?? example ?? 'x';
}

function longest(values: readonly unknown[]): unknown {
  const size = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
  return values.reduce((best, value) => (size(value) > size(best) ? value : best), values[0]);
}
