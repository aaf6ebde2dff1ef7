/** Real stores for tests: a SQLite file in a temporary directory, a PostgreSQL of the test's own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts } from '../../src/chain/node-finder/free-ports.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collectedLog } from '../secrets/collected.ts';
import { onceInARun } from './once-in-a-run.ts';
import { startPostgres } from './postgres-server.ts';
import { makeTables } from './sqlite-tables.ts';

/** Heard by the scan of what was logged (test/secrets) and by nobody else. */
export const silent = collectedLog();

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
  if (options.migrations === undefined) await makeTables(path);
  const store = await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now, ...options });
  const close = async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { store, directory, path, close, [Symbol.asyncDispose]: close };
}

export interface TemporaryPostgres {
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** The URL of a new database with all tables and nothing in them: a copy, where making them would take ten times as long. */
  newTables(): Promise<string>;
  /** A store on a new database; closing it is the caller's. */
  openStore(): Promise<Store>;
  /** Removes a database, whoever is connected to it. What is left goes with the server. */
  drop(url: string): Promise<void>;
  /** How many queries wait for what another transaction holds. */
  waiting(): Promise<number>;
  /** Ends every connection to the server from the server's side, as a restart does. */
  dropConnections(): Promise<void>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * A real PostgreSQL server on loopback. Start one per test file. It does not wait for the disk unless `durable`: no test cuts the
 * power, and benches ask for it.
 */
export async function withPostgres({ durable = false } = {}): Promise<TemporaryPostgres & AsyncDisposable> {
  const copyOf = await onceInARun('postgres', makeCluster);
  return servePostgres(mkdtempSync(join(tmpdir(), 'ashlar-postgres-')), { durable, copyOf });
}

async function makeCluster(directory: string): Promise<void> {
  mkdirSync(directory);
  const server = await servePostgres(directory, { durable: false, copyOf: null });
  await server.drop(await server.newTables());
  await server.halt();
}

async function servePostgres(
  directory: string,
  { durable, copyOf }: { durable: boolean; copyOf: string | null },
): Promise<TemporaryPostgres & AsyncDisposable & { halt(): Promise<void> }> {
  const [port = 0] = await freePorts(1);
  const server = await startPostgres({
    directory,
    port,
    user: 'ashlar',
    password: 'ashlar',
    settings: durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'],
    ...(copyOf !== null && { copyOf }),
  });
  const urlOf = (database: string) => `postgres://ashlar:ashlar@127.0.0.1:${port}/${database}`;
  let databases = 0;

  async function asAdministrator(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(urlOf('postgres'));
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }
  async function newDatabase(): Promise<string> {
    const name = `ashlar_${++databases}`;
    await asAdministrator(`CREATE DATABASE ${name}`);
    return urlOf(name);
  }
  let template = copyOf === null ? null : Promise.resolve();
  async function makeTemplate(): Promise<void> {
    await asAdministrator('CREATE DATABASE template');
    await (await openPostgresStore({ url: urlOf('template'), log: silent, clock: Date.now })).close();
    // It is copied only while nobody is connected to it, and the server sees the end of a connection when it comes to it.
    const connected = () => asAdministrator("SELECT pid FROM pg_stat_activity WHERE datname = 'template'");
    while ((await connected()).length > 0) await sleep(10);
  }
  async function newTables(): Promise<string> {
    template ??= makeTemplate();
    await template;
    const name = `ashlar_${++databases}`;
    await asAdministrator(`CREATE DATABASE ${name} TEMPLATE template STRATEGY FILE_COPY`);
    return urlOf(name);
  }
  const stop = async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    newDatabase,
    newTables,
    halt: server.stop,
    openStore: async () => await openPostgresStore({ url: await newTables(), log: silent, clock: Date.now }),
    async drop(url) {
      await asAdministrator(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
    },
    // What waits for a row waits for the transaction that changes it; advisory locks are waited for all the time.
    waiting: async () =>
      (await asAdministrator("SELECT pid FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')"))
        .length,
    async dropConnections() {
      await asAdministrator('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
