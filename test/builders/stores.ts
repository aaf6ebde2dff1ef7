/** Real stores for tests: a SQLite file in a temporary directory, a PostgreSQL of the test's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';

export const silent = pino({ level: 'silent' });

export interface TemporarySqlite {
  readonly store: Store;
  /** The directory that a service would have as DATA_DIR. */
  readonly directory: string;
  readonly path: string;
  /** Closes the store and removes the directory. */
  close(): Promise<void>;
}

/** A SQLite store in a directory of its own. `await using` closes it. */
export async function openTemporarySqlite(
  options: Partial<Omit<SqliteStoreOptions, 'path'>> = {},
): Promise<TemporarySqlite & AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), 'ashlar-store-'));
  const path = join(directory, 'ashlar.db');
  const store = await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now, ...options });
  const close = async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { store, directory, path, close, [Symbol.asyncDispose]: close };
}
