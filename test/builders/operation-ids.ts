/** Values of path parameters that no test has to be told: a noun is made by the example of its POST, an id's form is in its schema. */
import { z } from 'zod';
import type { AnyOperation } from '../../src/hooks/operation.ts';

type Values = Readonly<Record<string, string>>;

/** What `known` lacks of the operation's path: `x_id` of `/x/{x_id}` is in the answer to `POST /x` with its example. */
export async function madeByExample(
  operations: readonly AnyOperation[],
  { path }: AnyOperation,
  known: Values,
  post: (path: string, body: unknown) => Promise<Values>,
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const { index, 1: name = '' } of path.matchAll(/\{(\w+)\}/g)) {
    const collection = path.slice(0, index - 1);
    const create = operations.find((one) => one.method === 'POST' && one.path === collection);
    if (name in known || create === undefined) continue;
    const at = collection.replaceAll(/\{(\w+)\}/g, (_, of: string) => known[of] ?? made[of] ?? '');
    const id = (await post(at, create.example?.body))[name];
    if (id !== undefined) made[name] = id;
  }
  return made;
}

/** For each parameter that takes `<prefix>_<22 base62 characters>`: such an id as `tail` ends. */
export function idsEnding(operations: readonly AnyOperation[], tail: string): Record<string, string> {
  const shapes = operations.map(({ params }) => (params instanceof z.ZodObject ? params.shape : {}));
  const ids = shapes.flatMap(Object.entries).flatMap(([name, schema]) => {
    const { pattern = '' } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const prefix = /^\^(\w+_)\[0-9A-Za-z\]\{22\}\$$/.exec(pattern)?.[1];
    return prefix === undefined ? [] : [[name, prefix + tail]];
  });
  return Object.fromEntries(ids);
}
