import type { Rows, Statement } from '../queries/session.ts';
import type { SqliteConnection } from './connection.ts';
import { asDomainError } from './errors.ts';

interface Waiting {
  readonly statement: Statement;
  resolve(rows: Rows<unknown>): void;
  reject(error: unknown): void;
}

/**
 * Reads that come in one turn of the event loop share one snapshot, as writes share a COMMIT: taking and releasing SQLite's read lock
 * costs more system time than a point query. The snapshot ends with the turn, or earlier when this process commits, so nobody reads
 * older data than before.
 */
export function createGroupRead(connection: SqliteConnection) {
  const { database } = connection;
  let waiting: Waiting[] = [];
  let open = false;
  let closed = false;

  function end(): void {
    if (!open) return;
    open = false;
    if (database.isTransaction) database.exec('COMMIT');
  }

  function begin(): void {
    try {
      database.exec('BEGIN');
      open = true;
      setImmediate(end);
    } catch (error) {
      const refused = waiting;
      waiting = [];
      for (const { reject } of refused) reject(asDomainError(error));
      return;
    }
    const batch = waiting;
    waiting = [];
    for (const { statement, resolve, reject } of batch) {
      try {
        resolve(connection.run(statement));
      } catch (error) {
        reject(asDomainError(error));
      }
    }
  }

  return {
    async run<R>(statement: Statement): Promise<Rows<R>> {
      if (closed) throw new Error('the store is closed');
      if (open) {
        try {
          return connection.run<R>(statement);
        } catch (error) {
          throw asDomainError(error);
        }
      }
      return await new Promise<Rows<R>>((resolve, reject) => {
        waiting.push({ statement, resolve: resolve as Waiting['resolve'], reject });
        if (waiting.length === 1) setImmediate(begin);
      });
    },
    /** What is read from now on sees what has been committed until now. */
    refresh: end,
    close() {
      closed = true;
      begin();
      end();
    },
  };
}

export type GroupRead = ReturnType<typeof createGroupRead>;
