import type { Updateable } from 'kysely';
import type { Schema } from '../schema.ts';
import { statementName } from './prepared.ts';
import type { Session } from './session.ts';

/**
 * An UPDATE of whichever columns are given, of the rows that `where` names by equality. One statement text exists per set of
 * columns. Answers how many rows changed; nothing to change counts as none.
 */
export function patchRow<T extends keyof Schema & string>(table: T, where: readonly (keyof Schema[T] & string)[]) {
  const statements = new Map<string, { sql: string; name: string }>();

  return async (
    session: Session,
    patch: Updateable<Schema[T]>,
    key: Readonly<Record<string, string | bigint>>,
  ): Promise<bigint> => {
    const values = patch as Readonly<Record<string, unknown>>;
    const columns = Object.keys(values)
      .filter((column) => values[column] !== undefined)
      .sort();
    if (columns.length === 0) return 0n;
    const text = `${session.kind} ${columns.join(' ')}`;
    let found = statements.get(text);
    if (!found) {
      let next = 1;
      const slot = () => (session.kind === 'sqlite' ? '?' : `$${next++}`);
      const set = columns.map((column) => `"${column}" = ${slot()}`).join(', ');
      const conditions = where.map((column) => `"${column}" = ${slot()}`).join(' and ');
      found = { sql: `update "${table}" set ${set} where ${conditions}`, name: statementName() };
      statements.set(text, found);
    }
    const parameters = [...columns.map((column) => values[column]), ...where.map((column) => key[column])];
    return (await session.run({ ...found, parameters })).changes;
  };
}
