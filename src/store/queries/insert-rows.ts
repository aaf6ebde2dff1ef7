import type { Insertable } from 'kysely';
import type { Schema } from '../schema.ts';
import { statementName } from './prepared.ts';
import type { DatabaseKind, Session } from './session.ts';

/** Rows per statement, largest first: any number of rows takes few statements, and few texts ever exist. */
const SIZES = [64, 32, 16, 8, 4, 2, 1];

type Columns<T extends keyof Schema> = readonly (keyof Insertable<Schema[T]> & string)[];

/**
 * An INSERT of any number of rows into `table`. `tail` is what follows VALUES (`on conflict do nothing`, `returning …`).
 * Answers the rows of a RETURNING, in no promised order.
 */
export function insertRows<T extends keyof Schema & string, R = never>(table: T, columns: Columns<T>, tail = '') {
  const statements = new Map<string, { sql: string; name: string }>();
  const names = columns.map((column) => `"${column}"`).join(', ');

  function statement(kind: DatabaseKind, size: number) {
    const key = `${kind} ${size}`;
    let found = statements.get(key);
    if (!found) {
      let next = 1;
      const values = Array.from(
        { length: size },
        () => `(${columns.map(() => (kind === 'sqlite' ? '?' : `$${next++}`)).join(', ')})`,
      );
      const sql = `insert into "${table}" (${names}) values ${values.join(', ')} ${tail}`.trimEnd();
      found = { sql, name: statementName() };
      statements.set(key, found);
    }
    return found;
  }

  return async (session: Session, rows: readonly Insertable<Schema[T]>[]): Promise<{ rows: R[]; changes: bigint }> => {
    const returned: R[] = [];
    let changes = 0n;
    let start = 0;
    for (const size of SIZES) {
      for (; rows.length - start >= size; start += size) {
        const parameters: unknown[] = [];
        for (const row of rows.slice(start, start + size)) {
          for (const column of columns) parameters.push(row[column] ?? null);
        }
        const result = await session.run<R>({ ...statement(session.kind, size), parameters });
        returned.push(...result.rows);
        changes += result.changes;
      }
    }
    return { rows: returned, changes };
  };
}
