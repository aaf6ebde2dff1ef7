import type pg from 'pg';
import type { Logger } from 'pino';
import { createWorkOutage } from '../../outages/outage.ts';
import { createWorker } from '../../scheduling/worker.ts';
import { createListeners } from '../listeners.ts';
import { createAcknowledgements } from './acknowledgements.ts';
import type { Connections } from './connections.ts';
import { asDomainError } from './errors.ts';

const CHANNEL = 'ashlar_events';
const CREDENTIALS_CHANNEL = 'ashlar_credentials';
/** Where a process says that it has forgotten what it knew of credentials. */
const HEARD_CHANNEL = 'ashlar_credentials_heard';
/** Tells the connections that listen from all others of the database. */
const LISTENER_NAME = 'ashlar listener';
/** A process that does not answer by then has stopped, or has lost its connection: its cache is over within seconds. */
const HEARD_WITHIN_MS = 2_000;
/** Listeners are called at least this often: a process that ended between its COMMIT and its notice delays, and never loses, an event. */
const TICK_MS = 2_000;
const RECONNECT_MS = 1_000;

/**
 * LISTEN/NOTIFY between the processes on one database. The notice is sent after COMMIT, apart from the transaction: inside it,
 * NOTIFY makes all commits of the database wait for one another.
 */
export async function createNotifications(
  { pool, dedicated }: Connections,
  log: Pick<Logger, 'info' | 'warn'>,
  clock: () => number,
) {
  const events = createListeners();
  const credentials = createListeners();
  const audit = createListeners();
  const acknowledgements = createAcknowledgements();
  const tells = createWorkOutage({
    ...{ part: 'notices', log, clock },
    began: 'could not tell other processes of events or credentials; they look by themselves within seconds',
    ended: 'other processes are notified of events and credentials again',
  });
  let listening: pg.Client | null = null;
  let sending = false;
  let again = false;
  let closed = false;

  /** Which process speaks: the backend that listens for it. Its own notices come back and are not news. */
  const ownName = () => String((listening as { processID?: number | null } | null)?.processID ?? 0);

  const notify = (channel: string, payload: string) => pool.query('SELECT pg_notify($1, $2)', [channel, payload]);

  async function tellAllOfCredentials(): Promise<void> {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE application_name = $1 AND datname = current_database() AND pid::text <> $2`,
      [LISTENER_NAME, ownName()],
    );
    const number = acknowledgements.next();
    const listeners = rows.map(({ pid }) => pid);
    // Answers come on the connection that listens: without it there are none to wait for.
    const deaf = listening === null;
    const heard = acknowledgements.all(number, deaf ? [] : listeners, HEARD_WITHIN_MS);
    await notify(CREDENTIALS_CHANNEL, `${ownName()} ${number}`);
    if (!(await heard) || deaf) {
      log.warn({ processes: listeners.length }, 'not every process answered that it heard of changed credentials');
    }
  }

  async function listen(): Promise<void> {
    const client = await dedicated();
    client.on('notification', ({ channel, payload = '' }) => {
      const [speaker, number = '', listener = ''] = payload.split(' ');
      if (channel === HEARD_CHANNEL) {
        if (speaker === ownName()) acknowledgements.heard(Number(number), Number(listener));
      } else if (speaker === ownName()) {
        return;
      } else if (channel === CREDENTIALS_CHANNEL) {
        credentials.call();
        notify(HEARD_CHANNEL, `${payload} ${ownName()}`).catch(() => {});
      } else {
        events.call();
      }
    });
    client.once('end', () => {
      if (listening === client) listening = null;
      if (!closed) listener.wake(RECONNECT_MS);
    });
    await client.query(`LISTEN ${CHANNEL}`);
    await client.query(`LISTEN ${CREDENTIALS_CHANNEL}`);
    await client.query(`LISTEN ${HEARD_CHANNEL}`);
    await client.query(`SET application_name = '${LISTENER_NAME}'`);
    if (closed) return await client.end();
    listening = client;
  }

  /** What the server's being away makes of it is told of by the store. */
  const listener = createWorker({
    ...{ name: 'notices', log, clock, intervalMs: TICK_MS, longestRetryMs: RECONNECT_MS },
    failed: 'cannot listen for events of other processes; trying again, and looking by itself',
    recovered: 'events of other processes are listened for again',
    async round() {
      events.call();
      audit.call();
      if (listening !== null || closed) return;
      await listen().catch((error: unknown) => {
        throw asDomainError(error);
      });
      // What was said meanwhile.
      credentials.call();
      events.call();
    },
  });

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
        await notify(CHANNEL, ownName());
        tells.ended();
      } while (again && !closed);
    } catch (error) {
      tells.began(asDomainError(error));
    } finally {
      sending = false;
    }
  }

  await listen();
  listener.start();

  return {
    onEvents: events.add,
    onCredentials: credentials.add,
    /** Says here and to the other processes that events were committed. */
    announce: () => {
      events.call();
      void send();
    },
    /** Says it of changed credentials; resolves once every process has heard it, so that a revocation is answered after it. */
    announceCredentials: async () => {
      credentials.call();
      try {
        await tellAllOfCredentials();
      } catch (error) {
        tells.began(asDomainError(error));
      }
    },
    onAudit: audit.add,
    /** Says here that the audit log has grown. Other processes look at every tick: a notice for each write would buy nothing but haste. */
    audited: audit.call,
    close: async () => {
      closed = true;
      await listener.stop();
      events.clear();
      credentials.clear();
      audit.clear();
      await listening?.end().catch(() => {});
    },
  };
}
