import type pg from 'pg';
import { StoreUnavailable } from '../../core/errors.ts';
import { untilAborted } from '../../scheduling/on-abort.ts';
import { asDomainError } from './errors.ts';

/** First key of this program's advisory locks: "ASHL". */
const LOCK_CLASS = 0x4153484c;
export const LOCKS = {
  follower: 1,
  sequencer: 2,
  migrations: 3,
  sealer: 4,
  masterKey: 5,
  contracts: 6,
  connections: 8,
  approvals: 7,
  replays: 9,
  webhooks: 10,
  notifications: 11,
  notificationRules: 12,
  reports: 13,
  networks: 14,
  screening: 15,
  governance: 16,
} as const;

/** How often the holder asks whether its connection, and with it the lock, still stands. */
const HEARTBEAT_MS = 3_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/**
 * Runs `work` while holding a session-level advisory lock on a connection of its own; waits for its turn. The lock belongs to
 * the connection: when that drops, another process may get it, and the signal given to `work` aborts.
 */
export async function withAdvisoryLock<T>(
  dedicated: () => Promise<pg.Client>,
  lock: keyof typeof LOCKS,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = await dedicated();
  const lost = new AbortController();
  const onEnd = () => {
    const message = `the lock of ${lock} was lost with its database connection`;
    lost.abort(new StoreUnavailable(message, { cause: null, retryAfterSeconds: 1 }));
  };
  client.once('end', onEnd);
  client.once('error', onEnd);
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    const acquired = client.query('SELECT pg_advisory_lock($1, $2)', [LOCK_CLASS, LOCKS[lock]]);
    acquired.catch(() => {});
    await untilAborted(acquired, AbortSignal.any([signal, lost.signal]));
    heartbeat = setInterval(() => {
      const timeout = setTimeout(onEnd, HEARTBEAT_TIMEOUT_MS);
      client
        .query('SELECT 1')
        .catch(onEnd)
        .finally(() => clearTimeout(timeout));
    }, HEARTBEAT_MS);
    return await work(AbortSignal.any([signal, lost.signal]));
  } catch (error) {
    throw asDomainError(error);
  } finally {
    clearInterval(heartbeat);
    client.off('end', onEnd);
    // The server frees the lock with the connection; one that still waits for it is torn down.
    drop(client);
  }
}

/** Ends a connection without waiting for what it is doing. */
function drop(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  client.end().catch(() => {});
  setTimeout(() => stream.destroy(), 500).unref();
}

/** Waits, within the client's transaction, until no other process migrates. */
export async function lockMigrations(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, LOCKS.migrations]);
}
