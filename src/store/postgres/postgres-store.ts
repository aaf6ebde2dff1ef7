import type { Logger } from 'pino';
import { DomainError } from '../../core/errors.ts';
import { hostOf } from '../../outages/host-of.ts';
import { createRepositories } from '../contents.ts';
import { createExclusive } from '../exclusive.ts';
import { createLargeJobs } from '../large-jobs.ts';
import { createListeners } from '../listeners.ts';
import type { Migration } from '../migrations/dialect.ts';
import { migrate } from '../migrations/migrate.ts';
import { createStoreOutages } from '../outages.ts';
import { createSession, decisionsAmong, movesAmong, type Session } from '../queries/session.ts';
import type { ContractMove } from '../repositories/contract-rows.ts';
import { createSchemaWatch, NEWEST_APPLIED } from '../schema-watch.ts';
import type { Store } from '../store.ts';
import { lockMigrations, withAdvisoryLock } from './advisory-lock.ts';
import { createConnections, query } from './connections.ts';
import { createPostgresIdentity } from './database-identity.ts';
import { asDomainError } from './errors.ts';
import { createNotifications } from './notifications.ts';
import { runInTransaction } from './transaction.ts';

const USUAL_PORT = 5432;
/** Of the connections of a process. */
const LARGE_AT_ONCE = 2;

export interface PostgresStoreOptions {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly clock: () => number;
  readonly migrations?: readonly Migration[];
  /** Where this process keeps its witness of the database's decisions, `.home` put behind it. */
  readonly identityFileFor?: string;
}

/**
 * Opens the PostgreSQL store and brings its schema up to date, one process at a time. Any number of processes may share it.
 * @throws DomainError `unavailable` where the server does not answer; DatabaseRefused where a newer program wrote the database.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, log, clock, migrations } = options;
  const connections = createConnections(url, log);
  const { pool, dedicated } = connections;
  try {
    await bringForward();
    const notifications = await createNotifications(connections, log, clock);
    return store(notifications);
  } catch (error) {
    await pool.end().catch(() => {});
    throw asDomainError(error);
  }

  /** On a connection without statement timeout: a migration takes as long as it takes. */
  async function bringForward(): Promise<void> {
    const client = await dedicated();
    try {
      await client.query('BEGIN');
      await lockMigrations(client);
      const done = await migrate(
        {
          kind: 'postgres',
          progress: (at) => log.info({ ...at }, 'migrating the database'),
          run: async (sql, parameters = []) => (await query<Record<string, unknown>>(client, { sql, parameters })).rows,
        },
        clock(),
        migrations,
      );
      await client.query('COMMIT');
      if (done.length > 0) log.info({ versions: done }, 'database migrated');
    } finally {
      // Ends a transaction that failed, too.
      await client.end();
    }
  }

  function store(notifications: Awaited<ReturnType<typeof createNotifications>>): Store {
    const stopped = new AbortController();
    let underWay = 0;
    let closing: Promise<void> | null = null;
    const writes = new Set<Promise<unknown>>();
    const moves = createListeners<[ContractMove]>();
    const outages = createStoreOutages({ log, clock, host: hostOf(options.url, USUAL_PORT) });
    const home = createPostgresIdentity(options.identityFileFor ?? null, clock);

    const ask = <T>(question: () => Promise<T>): Promise<T> =>
      outages.reading(() =>
        question().catch((error: unknown) => {
          throw asDomainError(error);
        }),
      );
    const schema = createSchemaWatch({
      ...{ log, clock, migrations },
      applied: async () =>
        (await ask(() => query<{ version: bigint }>(pool, { sql: NEWEST_APPLIED, parameters: [] }))).rows[0]!.version,
    });
    const readSession = createSession('postgres', (statement) => ask(() => query(pool, statement)));

    const write: Store['write'] = async (job) => {
      schema.assertCurrent();
      if (closing !== null) throw new DomainError('unavailable', 'the service is stopping');
      underWay++;
      const running = outages.writing(() =>
        runInTransaction(pool, (session) => job(createRepositories(session, clock))),
      );
      writes.add(running);
      try {
        const { value, noted } = await running;
        for (const number of decisionsAmong(noted)) home.noteDecision(number);
        for (const move of movesAmong(noted)) moves.call(move);
        if (noted.has('credentials')) await notifications.announceCredentials();
        if (noted.has('events')) notifications.announce();
        if (noted.has('audit')) notifications.audited();
        return value;
      } finally {
        writes.delete(running);
        underWay--;
      }
    };

    return {
      kind: 'postgres',
      read: createRepositories(readSession, clock),
      write,
      writeLarge: createLargeJobs(write, LARGE_AT_ONCE),
      onEvents: notifications.onEvents,
      onCredentials: notifications.onCredentials,
      // NOTIFY tells every process.
      pollForeignCommits: () => {},
      onAudit: notifications.onAudit,
      onContractMoves: moves.add,
      ...createExclusive(
        async (name, signal, work) =>
          withAdvisoryLock(dedicated, name, AbortSignal.any([schema.whileCurrent(signal), stopped.signal]), work),
        log,
      ),
      bindIdentity: async (onMoved) => {
        const job = (session: Session) => home.settle(session, () => onMoved(createRepositories(session, clock)));
        const { value } = await runInTransaction(pool, job);
        home.settled(value);
        return value.atHome;
      },
      ping: schema.check,
      backupTo: async () => {
        throw new DomainError('unsupported', 'back up PostgreSQL with pg_dump, or with its continuous archiving');
      },
      queueDepth: () => underWay,
      pool: () => {
        const { totalCount, idleCount, waitingCount } = pool;
        const inUse = totalCount - idleCount;
        const most = pool.options.max;
        // Below the most, a statement stands in the queue for the moment in which it is given its connection.
        return { inUse, idle: idleCount, waiting: inUse < most ? 0 : waitingCount, most };
      },
      close: () => {
        closing ??= (async () => {
          await Promise.allSettled(writes);
          stopped.abort(new DomainError('unavailable', 'the service is stopping'));
          await notifications.close();
          readSession.close();
          await pool.end();
        })();
        return closing;
      },
    };
  }
}
