/** Why the service cannot start, as one line of the log: which part, where it is, what it said, and what would be right. Never a secret. */
import { type Config, ConfigError } from '../config.ts';
import { DomainError, StoreUnavailable } from '../core/errors.ts';
import { internalFault, scrub } from '../hooks/refusals/internal-fault.ts';
import { DatabaseRefused } from '../store/migrations/migrate.ts';
import { ChainRefused } from './chain-binding.ts';

export interface FailedStart {
  facts: { part: string; host?: string; cause?: string; problems?: readonly string[]; where?: string };
  sentence: string;
}

/** What a failed listen says of itself; `variable` is the metrics server's. */
interface SystemError extends NodeJS.ErrnoException {
  port?: number;
  address?: string;
  variable?: string;
}

export function failedStart(error: unknown, config: Config | null): FailedStart {
  if (error instanceof ConfigError) {
    const problems = error.problems;
    return {
      facts: { part: 'configuration', problems },
      sentence: `the configuration is wrong: ${problems.join('; ')}`,
    };
  }
  if (error instanceof ChainRefused) return { facts: { part: 'node' }, sentence: error.message };
  if (error instanceof DatabaseRefused) return { facts: { part: 'database' }, sentence: error.message };
  return ofSystem(error as SystemError) ?? ofDatabase(error, config) ?? ofAnything(error);
}

function ofSystem({ code = '', port, address, syscall, path, variable = 'PORT' }: SystemError): FailedStart | null {
  if (syscall === 'mkdir') {
    const sentence = `DATA_DIR ${path} cannot be made (${code}): set DATA_DIR to a directory this user may write`;
    return { facts: { part: 'DATA_DIR', cause: code }, sentence };
  }
  const said = LISTENING[code]?.(variable, port, address);
  if (said === undefined || syscall !== 'listen') return null;
  return { facts: { part: variable, host: `${address}:${port}`, cause: code }, sentence: said };
}

const LISTENING: Readonly<Record<string, (variable: string, port?: number, address?: string) => string>> = {
  EADDRINUSE: (variable, port, address) =>
    `${variable} ${port} on ${address} is in use: set ${variable} to a free one, or stop what uses it`,
  EADDRNOTAVAIL: (_, __, address) =>
    `HOST ${address} is no address of this machine: set HOST to one, such as 127.0.0.1`,
  EACCES: (variable, port) => `${variable} ${port} may not be used by this user: set ${variable} above 1023`,
};

/** By SQLSTATE (PostgreSQL's appendix A), the system's word or OpenSSL's. */
const DATABASE: readonly [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'nothing listens there: start PostgreSQL, or correct DATABASE_URL'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'no such host is known: correct DATABASE_URL, or the name server'],
  [/^28/, 'it refuses the user or password of DATABASE_URL: correct them there, or in pg_hba.conf'],
  [/^3D000$/, 'it has no database of that name: create it, or correct DATABASE_URL'],
  [/^53300$/, 'it has no connection left: raise max_connections, or run fewer replicas'],
  [/^42501$/, 'the user of DATABASE_URL may not make tables: make it the owner of its database'],
  [/^25006$/, 'it is read-only: name the primary in DATABASE_URL'],
  [/^(53100|ENOSPC)$/, 'no room is left on its disk: make some'],
  [
    /^(CERT_|DEPTH_|SELF_|UNABLE_|HOSTNAME_|ERR_TLS|ERR_SSL|EPROTO)/,
    'TLS with it fails: see to its certificate, or sslmode and sslrootcert in DATABASE_URL',
  ],
];

function ofDatabase(error: unknown, config: Config | null): FailedStart | null {
  const cause = (error instanceof StoreUnavailable ? error.cause : error) as {
    code?: unknown;
    message?: string;
    severity?: unknown;
  };
  if (config === null || !(error instanceof StoreUnavailable || cause?.severity !== undefined || isSqlite(cause)))
    return null;
  if (config.databaseUrl === null) {
    const said = scrub(String(cause.message ?? ''));
    const sentence = `the database in DATA_DIR ${config.dataDir} cannot be opened: ${said}. See to its disk and owner, or restore a backup`;
    return { facts: { part: 'database', cause: said }, sentence };
  }
  const { host } = new URL(config.databaseUrl);
  const code = typeof cause?.code === 'string' ? cause.code : '';
  const right =
    DATABASE.find(([pattern]) => pattern.test(code))?.[1] ??
    'it does not answer as it should: see to it, or correct DATABASE_URL';
  const said = code || scrub(String(cause?.message ?? 'no answer'));
  return { facts: { part: 'database', host, cause: said }, sentence: `PostgreSQL at ${host}: ${right} (${said})` };
}

const isSqlite = (cause: { code?: unknown } | null): boolean => cause?.code === 'ERR_SQLITE_ERROR';

function ofAnything(error: unknown): FailedStart {
  const { message, code, where } = internalFault(error);
  const facts = { part: 'service', ...(code !== null && { cause: code }) };
  // What is refused on purpose says what would be right; of anything else the place is wanted.
  if (error instanceof DomainError || where === null) return { facts, sentence: message };
  return { facts: { ...facts, where }, sentence: message };
}
