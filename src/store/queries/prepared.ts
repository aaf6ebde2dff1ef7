/** Queries built and compiled once per database kind, then run with new values: the query builder's cost is paid once. */
import type { Compilable, Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { DatabaseKind, Session } from './session.ts';

export interface Prepared<P, R> {
  all(session: Session, parameters: P): Promise<R[]>;
  first(session: Session, parameters: P): Promise<R | null>;
  /** Answers how many rows changed. */
  run(session: Session, parameters: P): Promise<bigint>;
}

/** Stands in a query for a value that comes later. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  readonly sql: string;
  readonly name: string;
  /** A parameter's name, or its constant value. */
  readonly slots: readonly unknown[];
}

let count = 0;
/** A name that no other statement of this process has. */
export const statementName = (): string => `ashlar_${++count}`;

/**
 * `build` gets stand-ins for the members of P and may use each anywhere a value is allowed, but must not look at them.
 */
export function prepared<P extends object, R>(
  build: (db: Kysely<Schema>, parameters: Readonly<P>, kind: DatabaseKind) => Compilable<R>,
): Prepared<P, R> {
  const compiled = new Map<DatabaseKind, Compiled>();
  const standIns = new Proxy({} as Readonly<P>, { get: (_, name) => new Placeholder(String(name)) });

  function compile(session: Session): Compiled {
    const query = build(session.db, standIns, session.kind).compile();
    const result = { sql: query.sql, name: statementName(), slots: query.parameters };
    compiled.set(session.kind, result);
    return result;
  }

  function execute(session: Session, values: P) {
    const { sql, name, slots } = compiled.get(session.kind) ?? compile(session);
    const parameters = slots.map((slot) => (slot instanceof Placeholder ? values[slot.name as keyof P] : slot));
    return session.run<R>({ sql, name, parameters });
  }

  return {
    all: async (session, parameters) => (await execute(session, parameters)).rows,
    first: async (session, parameters) => (await execute(session, parameters)).rows[0] ?? null,
    run: async (session, parameters) => (await execute(session, parameters)).changes,
  };
}
