/** Databases as a former version left them, opened by this one. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Migration } from '../../src/store/migrations/dialect.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { openTemporarySqlite, silent, type TemporaryPostgres } from './stores.ts';

export interface OlderDatabase {
  /** Those that the former version had. */
  readonly migrations: readonly Migration[];
  /** What the store of now still writes as that of then did. */
  fill?(store: Store): Promise<unknown>;
  /** Statements of then, after it: those of now write what was not there yet. */
  readonly rows: readonly string[];
}

export async function upgradedSqlite({ migrations, fill, rows }: OlderDatabase): Promise<Store> {
  const { store, path } = await openTemporarySqlite({ migrations });
  await fill?.(store);
  await store.close();
  const database = new DatabaseSync(path);
  for (const row of rows) database.exec(row);
  database.close();
  return openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
}

export async function upgradedPostgres(
  server: TemporaryPostgres,
  { migrations, fill, rows }: OlderDatabase,
): Promise<Store> {
  const url = await server.newDatabase();
  const store = await openPostgresStore({ url, log: silent, clock: Date.now, migrations });
  await fill?.(store);
  await store.close();
  const client = new pg.Client(url);
  await client.connect();
  for (const row of rows) await client.query(row);
  await client.end();
  return openPostgresStore({ url, log: silent, clock: Date.now });
}
