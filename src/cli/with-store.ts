import { pino } from 'pino';
import type { Config } from '../config.ts';
import { openStore, sqlitePath } from '../store/open-store.ts';
import { DatabaseInUse } from '../store/sqlite/process-lock.ts';
import { sqliteDatabaseExists } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { UsageError } from './usage-error.ts';

type Work<T> = (store: Store) => Promise<T>;

/** Opens the configured database, beside a service that may be running unless the role is its own, and closes it. It never makes one. */
export async function withStore<T>(config: Config, work: Work<T>): Promise<T>;
export async function withStore<T>(config: Config, role: 'service', work: Work<T>): Promise<T>;
export async function withStore<T>(config: Config, ...rest: [Work<T>] | ['service', Work<T>]): Promise<T> {
  const role = rest.length === 2 ? 'service' : 'tool';
  const work = rest.at(-1) as Work<T>;
  const { databaseUrl, databasePasswordFile, dataDir } = config;
  if (databaseUrl === null && !sqliteDatabaseExists(sqlitePath(dataDir))) {
    throw new UsageError(`there is no database in ${dataDir}: set DATA_DIR, or start the service there once`);
  }
  const log = pino({ level: 'warn' }, pino.destination(2));
  const store = await openStore({ databaseUrl, databasePasswordFile, dataDir, log, clock: Date.now, role }).catch(
    (error: unknown) => {
      if (!(error instanceof DatabaseInUse)) throw error;
      throw new Error(
        `${error.databasePath} is in use by a running service: stop the service first, then run this again`,
      );
    },
  );
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
