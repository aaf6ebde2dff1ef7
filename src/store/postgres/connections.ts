import pg from 'pg';
import type { Logger } from 'pino';
import type { Rows, Statement } from '../queries/session.ts';
import { asDomainError } from './errors.ts';

const INT8 = 20;
const BYTEA = 17;

/** int8 as bigint, bytes as a plain Uint8Array, as SQLite gives them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format !== 'binary' && oid === INT8) return BigInt;
    if (format !== 'binary' && oid === BYTEA)
      return (text: string) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
    return pg.types.getTypeParser(oid, format);
  },
};

export function createConnections(url: string, log: Pick<Logger, 'debug'>) {
  const config: pg.ClientConfig = {
    connectionString: url,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    application_name: 'ashlar',
  };
  const pool = new pg.Pool({
    ...config,
    max: 16,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
  });
  // Without a listener the loss of an idle connection would end the process. Queries report their own failures.
  pool.on('error', (error) => log.debug({ reason: error.message }, 'lost an idle database connection'));

  return {
    pool,
    /** A connected client outside the pool, for locks and notifications; the caller ends it. */
    dedicated: async () => {
      const client = new pg.Client(config);
      client.on('error', () => {});
      try {
        await client.connect();
      } catch (error) {
        throw asDomainError(error);
      }
      return client;
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;

type Queryable = Pick<pg.Pool | pg.Client, 'query'>;

/** One statement on a client or, outside transactions, on any of a pool's. Throws the driver's own errors. */
export async function query<R>(on: Queryable, { sql, parameters, name }: Statement): Promise<Rows<R>> {
  const result = await on.query({ text: sql, values: [...parameters], ...(name ? { name } : {}) });
  return { rows: result.rows as R[], changes: BigInt(result.rowCount ?? 0) };
}
