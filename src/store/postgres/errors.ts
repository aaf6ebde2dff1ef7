import { DomainError } from '../../core/errors.ts';

const field = (error: unknown, name: string): unknown =>
  error instanceof Error ? (error as unknown as Record<string, unknown>)[name] : undefined;

export function sqlState(error: unknown): string | null {
  const code = field(error, 'code');
  return typeof code === 'string' ? code : null;
}

/** serialization_failure, deadlock_detected: the same job may succeed when run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** Two jobs made a default wallet at once: run again, the second takes the flag from the first. */
const lostDefaultRace = (error: unknown): boolean =>
  sqlState(error) === '23505' && field(error, 'constraint') === 'wallets_default';

export const isRetryable = (error: unknown): boolean => RETRYABLE.has(sqlState(error) ?? '') || lostDefaultRace(error);

/** Server shut down, crashed or starting; too many connections; read-only after a failover. */
const SERVER_AWAY = new Set(['57P01', '57P02', '57P03', '53300', '25006']);
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** The driver gives these no code. */
const DRIVER =
  /^(connection terminated|client has encountered a connection error|timeout (expired|exceeded)|cannot use a pool after|client was closed)/i;

export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== null) return code.startsWith('08') || SERVER_AWAY.has(code) || SOCKET.has(code);
  if (error instanceof AggregateError) return error.errors.some(isConnectionFailure);
  return error instanceof Error && DRIVER.test(error.message);
}

/** character_not_in_repertoire: text with a NUL character, which PostgreSQL cannot hold. */
const BAD_TEXT = '22021';

/** A lost connection, or text that cannot be stored, as what callers know; anything else passes through. */
export function asDomainError(error: unknown): unknown {
  if (sqlState(error) === BAD_TEXT) {
    return new DomainError('invalid_value', 'text may hold any Unicode character but NUL (U+0000)');
  }
  if (!isConnectionFailure(error)) return error;
  return new DomainError('unavailable', 'the database does not answer: try again shortly', { retryAfterSeconds: 1 });
}
