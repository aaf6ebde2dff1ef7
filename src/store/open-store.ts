import { join } from 'node:path';
import type { Logger } from 'pino';
import { openPostgresStore } from './postgres/postgres-store.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

export interface OpenStoreOptions {
  /** `postgres://…`, or null for SQLite in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly log: Logger;
  readonly clock: () => number;
  /** `tool` (the CLI) opens the store beside a running service; `service` is the default. */
  readonly role?: 'service' | 'tool';
}

/** The SQLite file of a data directory. */
export const sqlitePath = (dataDir: string): string => join(dataDir, 'ashlar.db');

/** Opens the configured store, its schema up to date. */
export async function openStore({ databaseUrl, dataDir, log, clock, role }: OpenStoreOptions): Promise<Store> {
  if (databaseUrl !== null) {
    return await openPostgresStore({ url: databaseUrl, log, clock, witnessFor: join(dataDir, 'ashlar-postgresql') });
  }
  return await openSqliteStore({ path: sqlitePath(dataDir), role: role ?? 'service', log, clock });
}
