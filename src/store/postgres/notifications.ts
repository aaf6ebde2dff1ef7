import type pg from 'pg';
import type { Logger } from 'pino';
import type { Connections } from './connections.ts';

const CHANNEL = 'ashlar_events';
/** Listeners are called at least this often: a process that ended between its COMMIT and its notice delays, and never loses, an event. */
const TICK_MS = 2_000;
const RECONNECT_MS = 1_000;

export interface Notifications {
  onEvents(listener: () => void): () => void;
  /** Says here and to the other processes that events were committed. */
  announce(): void;
  close(): Promise<void>;
}

/**
 * LISTEN/NOTIFY between the processes on one database. The notice is sent after COMMIT, apart from the transaction: inside it,
 * NOTIFY makes all commits of the database wait for one another.
 */
export async function createNotifications(
  { pool, dedicated }: Connections,
  log: Pick<Logger, 'warn'>,
): Promise<Notifications> {
  const listeners = new Set<() => void>();
  let listening: pg.Client | null = null;
  let reconnecting: NodeJS.Timeout | undefined;
  let sending = false;
  let again = false;
  let closed = false;

  const callListeners = () => {
    for (const listener of listeners) listener();
  };
  /** Which process speaks: the backend that listens for it. Its own notices come back and are not news. */
  const ownName = () => String((listening as { processID?: number | null } | null)?.processID ?? 0);

  async function listen(): Promise<void> {
    const client = await dedicated();
    client.on('notification', ({ payload }) => {
      if (payload !== ownName()) callListeners();
    });
    client.once('end', () => {
      if (listening === client) listening = null;
      if (!closed) reconnectSoon();
    });
    await client.query(`LISTEN ${CHANNEL}`);
    if (closed) return await client.end();
    listening = client;
  }

  function reconnectSoon(): void {
    reconnecting = setTimeout(() => {
      listen().then(callListeners, (error: Error) => {
        log.warn({ reason: error.message }, 'cannot listen for events of other processes; trying again');
        if (!closed) reconnectSoon();
      });
    }, RECONNECT_MS);
    reconnecting.unref();
  }

  /** One notice at a time: those that are due while one is on its way become one. */
  async function send(): Promise<void> {
    if (sending) {
      again = true;
      return;
    }
    sending = true;
    try {
      do {
        again = false;
        await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, ownName()]);
      } while (again && !closed);
    } catch (error) {
      log.warn(
        { reason: (error as Error).message },
        'could not tell other processes of events; they look by themselves',
      );
    } finally {
      sending = false;
    }
  }

  await listen();
  const tick = setInterval(callListeners, TICK_MS);
  tick.unref();

  return {
    onEvents: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    announce: () => {
      callListeners();
      void send();
    },
    close: async () => {
      closed = true;
      clearInterval(tick);
      clearTimeout(reconnecting);
      listeners.clear();
      await listening?.end().catch(() => {});
    },
  };
}
