import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

export interface OpenStoreOptions {
  /** `postgres://…`, or null for SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  /** A file with the URL's password: a mounted secret. */
  readonly databasePasswordFile?: string | null;
  readonly dataDir: string;
  readonly log: Logger;
  readonly clock: () => number;
  /** `tool` (the CLI) opens the store beside a running service; `service` is the default. */
  readonly role?: 'service' | 'tool';
}

/** The SQLite file of a data directory. */
export const sqlitePath = (dataDir: string): string => join(dataDir, 'ashlar.db');

/** Opens the configured store, its schema up to date. Throws an Error where the password's file cannot be read. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { databaseUrl, databasePasswordFile = null, dataDir, log, clock, role } = options;
  if (databaseUrl !== null) {
    const url = databasePasswordFile === null ? databaseUrl : await withPassword(databaseUrl, databasePasswordFile);
    const { openPostgresStore } = await import('./postgres/postgres-store.ts');
    return await openPostgresStore({ url, log, clock, identityFileFor: join(dataDir, 'ashlar-postgresql') });
  }
  return await openSqliteStore({ path: sqlitePath(dataDir), role: role ?? 'service', log, clock });
}

async function withPassword(url: string, file: string): Promise<string> {
  const password = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`DATABASE_PASSWORD_FILE ${file} cannot be read (${error.code}): name a file this user may read`);
  });
  const complete = new URL(url);
  complete.password = encodeURIComponent(password.replace(/\r?\n$/, ''));
  return complete.href;
}
