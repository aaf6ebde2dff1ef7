import { DatabaseSync } from 'node:sqlite';
import { DatabaseRefused } from '../migrations/migrate.ts';
import { isBusy } from './errors.ts';

/**
 * Takes the data directory for this process: an exclusive lock on a file beside the database, held through SQLite itself, so the
 * operating system drops it with the process however that ends. Null where another process holds it.
 */
export function tryProcessLock(databasePath: string): { release(): void } | null {
  const database = new DatabaseSync(`${databasePath}.lock`, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Another running service has the database. */
export class DatabaseInUse extends DatabaseRefused {
  readonly databasePath: string;

  constructor(databasePath: string) {
    super(
      `${databasePath} is in use by another running service. Stop that one, or give this one a DATA_DIR of its own.`,
    );
    this.databasePath = databasePath;
  }
}

/** @throws DatabaseInUse */
export function takeProcessLock(databasePath: string): { release(): void } {
  const lock = tryProcessLock(databasePath);
  if (lock) return lock;
  throw new DatabaseInUse(databasePath);
}
