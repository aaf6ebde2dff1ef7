import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { ContractMove } from '../repositories/contract-rows.ts';
import type { Schema } from '../schema.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Set for statements whose text recurs: PostgreSQL then keeps them parsed under this name. */
  readonly name?: string;
}

export interface Rows<R> {
  readonly rows: R[];
  /** Rows inserted, updated or deleted. */
  readonly changes: bigint;
}

/** What a job may have done that others want to hear of once it has committed. */
export type Topic = 'events' | 'credentials' | 'audit' | Decision | ContractMove;
/** One that is for good, with its number. */
type Decision = `decision ${number}`;

/** The numbers of the decisions among what was noted. */
export const decisionsAmong = (noted: Iterable<Topic>): number[] =>
  [...noted].flatMap((topic) =>
    typeof topic === 'string' && topic.startsWith('decision ') ? [Number(topic.slice(9))] : [],
  );

/** The contracts' moves among what was noted, in order. */
export const movesAmong = (noted: Iterable<Topic>): ContractMove[] =>
  [...noted].filter((topic) => typeof topic !== 'string');

/** What repositories speak through: one connection (or, for reads, any of a pool's), inside one job's transaction or outside any. */
export interface Session {
  readonly kind: DatabaseKind;
  /** Builder and executor, for queries whose shape depends on what is asked. */
  readonly db: Kysely<Schema>;
  run<R>(statement: Statement): Promise<Rows<R>>;
  /**
   * Says that this job wrote events or audit records, changed what a credential may do, decided something for good, or moved a contract on:
   * listeners are called once it has committed.
   */
  note(topic: Topic): void;
}

const refuseTransaction = async (): Promise<never> => {
  throw new Error('transactions are begun by store.write, not through Kysely');
};

/** Kysely over a session's `run`. It never begins a transaction: the store's writer has done that. */
function kyselyOver(kind: DatabaseKind, run: Session['run']): Kysely<Schema> {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: Statement) {
      const { rows, changes } = await run<R>({ sql: query.sql, parameters: query.parameters });
      return { rows, numAffectedRows: changes };
    },
    // biome-ignore lint/correctness/useYield: it only refuses
    async *streamQuery() {
      throw new Error('the store does not stream: read in pages');
    },
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuseTransaction,
    commitTransaction: refuseTransaction,
    rollbackTransaction: refuseTransaction,
    destroy: async () => {},
  };
  const sqlite = kind === 'sqlite';
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => (sqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createQueryCompiler: () => (sqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
      createIntrospector: (db) => (sqlite ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
    },
  });
}

/** A session that stops working when closed: a job that goes on after its transaction must not write into another's. */
export function createSession(
  kind: DatabaseKind,
  execute: Session['run'],
  note: (topic: Topic) => void = () => {},
): Session & { close(): void } {
  let open = true;
  let db: Kysely<Schema> | undefined;
  const run = async <R>(statement: Statement): Promise<Rows<R>> => {
    if (!open) throw new Error('a job used its transaction after it had ended: await every query inside the job');
    return await execute<R>(statement);
  };
  return {
    kind,
    get db() {
      db ??= kyselyOver(kind, run);
      return db;
    },
    run,
    note,
    close: () => {
      open = false;
    },
  };
}
