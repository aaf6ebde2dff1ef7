import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import { createRepositories } from '../contents.ts';
import { createExclusive } from '../exclusive.ts';
import { createLargeJobs } from '../large-jobs.ts';
import { createListeners } from '../listeners.ts';
import { makeFolder } from '../make-folder.ts';
import type { Migration } from '../migrations/dialect.ts';
import { DatabaseRefused, isBehind, migrate } from '../migrations/migrate.ts';
import { createStoreOutages } from '../outages.ts';
import { createSession } from '../queries/session.ts';
import type { ContractMove } from '../repositories/contract-rows.ts';
import { eventRepository } from '../repositories/events.ts';
import { createSchemaWatch, NEWEST_APPLIED } from '../schema-watch.ts';
import type { Store } from '../store.ts';
import { backUp } from './backup.ts';
import { openConnection, type SqliteConnection } from './connection.ts';
import { createSqliteIdentity } from './database-identity.ts';
import { asDomainError } from './errors.ts';
import { HEARD_AFTER_MS, watchForeignCommits } from './foreign-commits.ts';
import { hasFreeSpace } from './free-space.ts';
import { createGroupCommit } from './group-commit.ts';
import { createGroupRead } from './group-read.ts';
import { takeProcessLock, tryProcessLock } from './process-lock.ts';

const NUMBERED_AT_ONCE = 1_000;

export interface SqliteStoreOptions {
  /** The database file; it and its directory are made where missing. */
  readonly path: string;
  /**
   * `service` takes the database for this process and follows the chain with it. `tool` is for small writes beside a running service.
   */
  readonly role: 'service' | 'tool';
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly clock: () => number;
  /** Jobs that may share a COMMIT. */
  readonly maxBatch?: number;
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the SQLite store and brings its schema up to date.
 * @throws DatabaseRefused where another service has it, or a newer program wrote it.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, role, log, clock, maxBatch, migrations } = options;
  makeFolder(dirname(path));
  makeForOwner(path);
  const lock = role === 'service' ? takeProcessLock(path) : null;
  let writer: SqliteConnection | undefined;
  let reader: SqliteConnection | undefined;
  try {
    writer = openConnection(path);
    await bringForward(writer, { path, role, clock, log, ...(migrations ? { migrations } : {}) });
    // From now on the writer waits for other processes without holding the event loop (group-commit.ts).
    writer.database.exec('PRAGMA busy_timeout = 0');
    reader = openConnection(path, { queryOnly: true });
    return sqliteStore({ path, role, writer, reader, clock, log, migrations, ...(maxBatch ? { maxBatch } : {}) }, () =>
      lock?.release(),
    );
  } catch (error) {
    reader?.close();
    writer?.close();
    lock?.release();
    throw asDomainError(error);
  }
}

async function bringForward(
  connection: SqliteConnection,
  { path, role, clock, log, migrations }: Omit<SqliteStoreOptions, 'maxBatch'>,
): Promise<void> {
  const { database } = connection;
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get();
  const applied = known
    ? database
        .prepare('SELECT version FROM schema_migrations ORDER BY version')
        .all()
        .map((row) => Number(row.version))
    : [];
  let borrowed: { release(): void } | null = null;
  if (role === 'tool' && isBehind(applied, migrations)) {
    borrowed = tryProcessLock(path);
    if (!borrowed) {
      throw new DatabaseRefused(
        `${path} is at version ${applied.at(-1) ?? 0} and in use by a running service of an older program: ` +
          'restart the service with this program first.',
      );
    }
  }
  try {
    database.exec('BEGIN IMMEDIATE');
    const done = await migrate(
      {
        kind: 'sqlite',
        progress: (at) => log.info({ path, ...at }, 'migrating the database'),
        run: async (sql, parameters = []) => connection.run<Record<string, unknown>>({ sql, parameters }).rows,
      },
      clock(),
      migrations,
    );
    database.exec('COMMIT');
    if (done.length > 0) log.info({ path, versions: done }, 'database migrated');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  } finally {
    borrowed?.release();
  }
}

interface OpenParts extends Pick<SqliteStoreOptions, 'path' | 'role' | 'clock' | 'log' | 'maxBatch'> {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly migrations: readonly Migration[] | undefined;
}

function sqliteStore(
  { path, role, clock, log, writer, reader, migrations, maxBatch }: OpenParts,
  onClosed: () => void,
): Store {
  const events = createListeners();
  const credentials = createListeners();
  const audit = createListeners();
  const moves = createListeners<[ContractMove]>();
  const outages = createStoreOutages({ log, clock, room: () => hasFreeSpace(path) });
  const reads = createGroupRead(reader);
  let credentialsChanged = false;
  const others = watchForeignCommits(writer, () => {
    // What this turn reads from now on must be what the other process wrote.
    reads.refresh();
    credentials.call();
  });
  const group = createGroupCommit({
    connection: writer,
    onCommit: reads.refresh,
    onCredentials: () => {
      credentialsChanged = true;
      credentials.call();
    },
    onDecisions: (numbers) => home.noteDecisions(Math.max(...numbers)),
    numberEvents: async (session) => {
      const { number } = eventRepository(session, clock);
      while ((await number(NUMBERED_AT_ONCE)) === NUMBERED_AT_ONCE);
    },
    onEvents: events.call,
    onMove: moves.call,
    onAudit: audit.call,
    ...(maxBatch ? { maxJobs: maxBatch } : {}),
  });
  const readSession = createSession('sqlite', reads.run);
  const schema = createSchemaWatch({
    ...{ log, clock, migrations },
    applied: async () => {
      const asked = reads.run<{ version: bigint }>({ sql: NEWEST_APPLIED, parameters: [] });
      return (await outages.reading(() => asked)).rows[0]!.version;
    },
  });
  let closing: Promise<void> | null = null;
  const home = createSqliteIdentity({ path, store: () => store, clock });

  const write: Store['write'] = async (job) => {
    schema.assertCurrent();
    const value = await outages.writing(() => group.write((session) => job(createRepositories(session, clock))));
    // The service beside it hears of it by itself, and has done so when the tool says that it is done.
    if (role === 'tool' && credentialsChanged) await sleep(HEARD_AFTER_MS);
    credentialsChanged = false;
    return value;
  };
  const store: Store = {
    kind: 'sqlite',
    read: createRepositories(readSession, clock),
    write,
    writeLarge: createLargeJobs(write, 1),
    onEvents: events.add,
    onCredentials: credentials.add,
    pollForeignCommits: others.look,
    onAudit: audit.add,
    onContractMoves: moves.add,
    ...createExclusive(async (name, signal, work) => {
      if (role === 'tool') throw new DomainError('unsupported', `a tool beside the service cannot be the ${name}`);
      return work(schema.whileCurrent(signal));
    }),
    bindIdentity: (onMoved) => home.settle(onMoved),
    ping: schema.check,
    backupTo: (target) => backUp(path, target),
    queueDepth: () => group.depth(),
    pool: () => ({ inUse: 0, idle: 0, waiting: 0, most: 0 }),
    close: () => {
      closing ??= (async () => {
        others.stop();
        await group.close();
        readSession.close();
        reads.close();
        reader.close();
        writer.close();
        onClosed();
      })();
      return closing;
    },
  };
  return store;
}

/** Whether there is a database at `path`, for tools that must not make one. */
export const sqliteDatabaseExists = (path: string): boolean => existsSync(path);

/**
 * Makes the file, readable by its owner alone, where it is missing; SQLite gives those beside it the same mode. One that exists is not opened:
 * closing it again would drop the locks that this process holds on it.
 */
function makeForOwner(path: string): void {
  if (sqliteDatabaseExists(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
