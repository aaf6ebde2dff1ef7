import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createSession, type Rows, type Session, type Statement, type Topic } from '../queries/session.ts';
import { query } from './connections.ts';
import { asDomainError, isConnectionFailure, isRetryable } from './errors.ts';

const ATTEMPTS = 12;
const MAX_PAUSE_MS = 100;

/** The work threw nothing, yet PostgreSQL had given the transaction up: a statement failed and the work went on. */
class TransactionAborted extends Error {
  constructor(cause: unknown) {
    super('a job went on after a statement of it had failed; it was rolled back', { cause });
    this.name = 'TransactionAborted';
  }
}

/**
 * Runs `work` in a transaction of its own (READ COMMITTED: what must hold at commit stands in the statement that writes it),
 * again after a deadlock or a serialization failure. Answers its value and what it noted.
 */
export async function runInTransaction<T>(
  pool: pg.Pool,
  work: (session: Session) => Promise<T>,
): Promise<{ value: T; noted: ReadonlySet<Topic> }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(pool, work);
    } catch (error) {
      if (attempt >= ATTEMPTS || !isRetryable(error)) throw asDomainError(error);
      await sleep(Math.min(2 ** attempt, MAX_PAUSE_MS));
    }
  }
}

async function attemptOnce<T>(pool: pg.Pool, work: (session: Session) => Promise<T>) {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  const noted = new Set<Topic>();
  let failure: { error: unknown } | null = null;
  let tail: Promise<unknown> = Promise.resolve();

  /** One statement at a time, also when the work starts several at once. */
  function execute<R>(statement: Statement): Promise<Rows<R>> {
    const result = tail.then(() => query<R>(client, statement));
    tail = result.catch((error: unknown) => {
      failure ??= { error };
    });
    return result;
  }
  const session = createSession('postgres', execute, (topic) => noted.add(topic));

  try {
    await client.query('BEGIN');
    const value = await work(session);
    session.close();
    await tail;
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw lost(failure);
    return { value, noted };
  } catch (error) {
    session.close();
    await tail;
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken ??= rollbackError;
    });
    // The work may have turned a statement's failure into an error of its own; a retryable one still calls for a retry.
    const cause = (failure as { error: unknown } | null)?.error;
    throw cause !== undefined && (isRetryable(cause) || isConnectionFailure(cause)) ? cause : error;
  } finally {
    client.off('error', onError);
    client.release(broken ?? false);
  }
}

function lost(failure: { error: unknown } | null): unknown {
  return failure && isRetryable(failure.error) ? failure.error : new TransactionAborted(failure?.error);
}
