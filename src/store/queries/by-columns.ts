import type { Selectable, Updateable } from 'kysely';
import type { Schema } from '../schema.ts';
import { statementName } from './prepared.ts';
import type { Rows, Session } from './session.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * SELECT, UPDATE and DELETE of the rows whose columns have these values, or none for null. One statement text exists per set of columns.
 * `selects` is what a SELECT gives, `tail` what follows its conditions.
 */
export function byColumns<T extends keyof Schema & string>(table: T, selects = '*') {
  type Row = Selectable<Schema[T]>;
  const statements = new Map<string, { sql: string; name: string }>();

  function run<R>(session: Session, verb: string, set: Values, where: Values, tail = ''): Promise<Rows<R>> {
    const changed = Object.keys(set).sort();
    const asked = Object.keys(where);
    const none = asked.filter((column) => where[column] === null);
    const key = [session.kind, verb, changed, asked, none, tail].join('|');
    let found = statements.get(key);
    if (!found) {
      let next = 1;
      const slot = (column: string) => `"${column}" = ${session.kind === 'sqlite' ? '?' : `$${next++}`}`;
      const assignments = changed.map(slot).join(', ');
      const conditions = asked.map((column) => (none.includes(column) ? `"${column}" is null` : slot(column)));
      const clause = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
      found = { sql: [verb, assignments, clause, tail].filter(Boolean).join(' '), name: statementName() };
      statements.set(key, found);
    }
    const sought = asked.map((column) => where[column]).filter((value) => value !== null);
    // Left out, the condition would let in other accounts' rows.
    if (sought.includes(undefined)) throw new Error(`no value for a condition on ${table}: ${asked.join(', ')}`);
    return session.run<R>({ ...found, parameters: [...changed.map((column) => set[column]), ...sought] });
  }

  /** Never of a whole table. */
  async function change(session: Session, verb: string, set: Values, where: Values): Promise<bigint> {
    if (Object.keys(where).length === 0) throw new Error(`${verb} needs a condition`);
    return (await run(session, verb, set, where)).changes;
  }

  return {
    select: async (session: Session, where: Partial<Row>, tail = ''): Promise<Row[]> =>
      (await run<Row>(session, `select ${selects} from "${table}"`, {}, where, tail)).rows,
    count: async (session: Session, where: Partial<Row>): Promise<number> =>
      Number(
        (await run<{ count: bigint }>(session, `select count(*) as count from "${table}"`, {}, where)).rows[0]?.count,
      ),
    /** Answers how many changed. What is undefined stays; nothing to change counts as none. */
    update: async (session: Session, patch: Updateable<Schema[T]>, where: Partial<Row>): Promise<bigint> => {
      const set = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      if (Object.keys(set).length === 0) return 0n;
      return await change(session, `update "${table}" set`, set, where);
    },
    /** Answers how many there were. */
    delete: (session: Session, where: Partial<Row>): Promise<bigint> =>
      change(session, `delete from "${table}"`, {}, where),
  };
}
