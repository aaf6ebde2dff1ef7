import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { createLru } from '../../core/lru.ts';
import type { Rows, Statement } from '../queries/session.ts';

/** How long a statement waits for another connection's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHED_STATEMENTS = 500;

/**
 * A value that the plan may depend on makes SQLite prepare the statement anew whenever it is bound, which takes longer than most statements.
 * What stands alone behind LIMIT is one; an expression is not.
 */
export const preparedOnce = (sql: string): string => sql.replaceAll(/\blimit \?/gi, 'limit +?');

type RowOf = (values: readonly unknown[]) => object;

/** Node's own row objects are dictionaries: made and read, they take more than twice as long as those of a literal with the columns' names. */
const rowMaker = (columns: readonly string[]): RowOf =>
  new Function(
    'values',
    `return {${columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`).join(', ')}}`,
  ) as RowOf;

/** Opens a database file with the settings that durability and integrity rest on. */
export function openConnection(path: string, { queryOnly = false } = {}) {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA temp_store = MEMORY');
  database.exec('PRAGMA cache_size = -32768');
  if (queryOnly) database.exec('PRAGMA query_only = ON');

  const statements = createLru<string, { statement: StatementSync; rowOf: RowOf | null }>(CACHED_STATEMENTS);

  function prepare(sql: string) {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(preparedOnce(sql));
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const columns = statement.columns();
    return statements.set(sql, {
      statement,
      rowOf: columns.length > 0 ? rowMaker(columns.map(({ name }) => name)) : null,
    });
  }

  return {
    database,
    /** Integers come back as bigint, bytes as Uint8Array. Statements stay prepared by their text. */
    run<R>({ sql, parameters }: Statement): Rows<R> {
      const { statement, rowOf } = prepare(sql);
      const values = parameters as SQLInputValue[];
      if (rowOf === null) return { rows: [], changes: BigInt(statement.run(...values).changes) };
      const rows = (statement.all(...values) as unknown as unknown[][]).map(rowOf) as R[];
      return { rows, changes: BigInt(rows.length) };
    },
    close: () => {
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
}

export type SqliteConnection = ReturnType<typeof openConnection>;
