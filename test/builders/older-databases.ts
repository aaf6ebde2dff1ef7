/** Databases as a former version left them, opened by this one. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { transactionNotes } from '../../src/store/migrations/0049-transaction-notes.ts';
import { columnTypes, type Migration } from '../../src/store/migrations/dialect.ts';
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

/** What the store of now writes beside each record, for as long as it fills a database that has no place for it. */
const BESIDE = {
  tables: (kind: 'sqlite' | 'postgres') =>
    transactionNotes.statements(columnTypes[kind]).filter((one) => /^CREATE TABLE/.test(one)),
  gone: ['DROP TABLE transaction_notes', 'DROP TABLE payment_outputs'],
};

export async function upgradedSqlite({ migrations, fill, rows }: OlderDatabase): Promise<Store> {
  const { store, path } = await openTemporarySqlite({ migrations });
  const database = new DatabaseSync(path);
  if (fill) for (const row of BESIDE.tables('sqlite')) database.exec(row);
  await fill?.(store);
  await store.close();
  for (const row of [...(fill ? BESIDE.gone : []), ...rows]) database.exec(row);
  database.close();
  return openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
}

export async function upgradedPostgres(
  server: TemporaryPostgres,
  { migrations, fill, rows }: OlderDatabase,
): Promise<Store> {
  const url = await server.newDatabase();
  const store = await openPostgresStore({ url, log: silent, clock: Date.now, migrations });
  const client = new pg.Client(url);
  await client.connect();
  if (fill) for (const row of BESIDE.tables('postgres')) await client.query(row);
  await fill?.(store);
  await store.close();
  for (const row of [...(fill ? BESIDE.gone : []), ...rows]) await client.query(row);
  await client.end();
  return openPostgresStore({ url, log: silent, clock: Date.now });
}
