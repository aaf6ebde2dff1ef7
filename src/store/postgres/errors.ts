import { DomainError, StoreUnavailable } from '../../core/errors.ts';

const field = (error: unknown, name: string): unknown =>
  error instanceof Error ? (error as unknown as Record<string, unknown>)[name] : undefined;

function sqlState(error: unknown): string | null {
  const code = field(error, 'code');
  return typeof code === 'string' ? code : null;
}

/** serialization_failure, deadlock_detected: the same job may succeed when run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/**
 * What two jobs at once were each told is not there: a default wallet, which the second, run again, takes the flag from; an entry of one
 * address, which it then names; a device, and a notification of one external_id, which it then finds.
 */
const RACED = new Set<unknown>([
  'wallets_default',
  'address_book_by_script',
  'devices_pkey',
  'notifications_by_external_id',
]);
const lostRace = (error: unknown): boolean => sqlState(error) === '23505' && RACED.has(field(error, 'constraint'));

export const isRetryable = (error: unknown): boolean => RETRYABLE.has(sqlState(error) ?? '') || lostRace(error);

/**
 * SQLSTATE classes (PostgreSQL's appendix A): connection exceptions; what this service is refused as (a password that was changed, say); a
 * database that is not there; insufficient resources; the operator's intervention; errors of the system; a transaction that was ended for
 * its idleness.
 */
const AWAY = /^(08|28|3D000|53|57P0|57014|58|25P03|25P04)/;
/** A standby, or a server that was set to read only: 25006. A full disk: 53100. */
const READ_ONLY = new Set(['25006', '53100']);
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
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'EADDRNOTAVAIL',
]);
/** OpenSSL's words for a certificate that is not taken, and Node's for TLS that fails. */
const TLS = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO)/;
/** The driver gives these no code. */
const DRIVER =
  /^(connection terminated|client has encountered a connection error|timeout (expired|exceeded)|cannot use a pool after|client was closed|the server does not support ssl)/i;

export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== null) return AWAY.test(code) || READ_ONLY.has(code) || SOCKET.has(code) || TLS.test(code);
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
  const state = sqlState(error) ?? '';
  if (READ_ONLY.has(state)) {
    const why = state === '53100' ? "no room is left on the database's disk" : 'the database is read-only';
    const message = `${why}: nothing is written until that is mended; try again later`;
    return new StoreUnavailable(message, { cause: error, retryAfterSeconds: 10, writesOnly: true });
  }
  return new StoreUnavailable('the database does not answer: try again shortly', {
    cause: error,
    retryAfterSeconds: 1,
  });
}
