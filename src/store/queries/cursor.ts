import { DomainError } from '../../core/errors.ts';

type CursorValue = string | number;

/** An opaque cursor: which list gave it, and the position after which the next page begins. */
export function encodeCursor(list: string, position: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString('base64url');
}

/**
 * The position in a cursor of `list`. `shape` says what each value is.
 * @throws DomainError `invalid_value` at query.cursor for anything that this list did not give.
 */
export function decodeCursor<const S extends readonly ('text' | 'count')[]>(
  list: string,
  shape: S,
  cursor: string,
): { [K in keyof S]: S[K] extends 'text' ? string : number } {
  const refusal = () =>
    new DomainError('invalid_value', 'the cursor is not one that this list gave: use next_cursor of a page as it is', {
      field: 'query.cursor',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw refusal();
  }
  if (!Array.isArray(parsed) || parsed[0] !== list || parsed.length !== shape.length + 1) throw refusal();
  const position = parsed.slice(1) as unknown[];
  const fits = position.every((value, index) =>
    shape[index] === 'text' ? typeof value === 'string' : Number.isSafeInteger(value) && Number(value) >= 0,
  );
  if (!fits) throw refusal();
  return position as { [K in keyof S]: S[K] extends 'text' ? string : number };
}
