import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { DomainError } from '../../core/errors.ts';
import type { Rows, Statement } from '../queries/session.ts';

/** How long a statement waits for another connection's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
const CACHED_STATEMENTS = 500;
const SQLITE_BUSY = 5;

export interface SqliteConnection {
  readonly database: DatabaseSync;
  /** Integers come back as bigint, bytes as Uint8Array. Statements stay prepared by their text. */
  run<R>(statement: Statement): Rows<R>;
  close(): void;
}

/** SQLite's primary result code, where the error is SQLite's. */
export const sqliteCode = (error: unknown): number | null =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : null;

export const isBusy = (error: unknown): boolean => sqliteCode(error) === SQLITE_BUSY;

/** What a caller is told when the file cannot be written or read just now; anything else passes through. */
export function unavailableIfBusy(error: unknown): unknown {
  if (!isBusy(error)) return error;
  return new DomainError('unavailable', 'the database is busy with another process: try again shortly', {
    retryAfterSeconds: 1,
  });
}

/** Opens a database file with the settings that durability and integrity rest on. */
export function openConnection(path: string, { queryOnly = false } = {}): SqliteConnection {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA temp_store = MEMORY');
  database.exec('PRAGMA cache_size = -32768');
  if (queryOnly) database.exec('PRAGMA query_only = ON');

  const statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  function prepare(sql: string) {
    let entry = statements.get(sql);
    if (!entry) {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      entry = { statement, returnsRows: statement.columns().length > 0 };
      const oldest = statements.keys().next();
      if (statements.size >= CACHED_STATEMENTS && !oldest.done) statements.delete(oldest.value);
      statements.set(sql, entry);
    }
    return entry;
  }

  return {
    database,
    run<R>({ sql, parameters }: Statement): Rows<R> {
      const { statement, returnsRows } = prepare(sql);
      const values = parameters as SQLInputValue[];
      if (!returnsRows) return { rows: [], changes: BigInt(statement.run(...values).changes) };
      const rows = statement.all(...values) as R[];
      return { rows, changes: BigInt(rows.length) };
    },
    close: () => {
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
}
