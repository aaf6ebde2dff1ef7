/** `ashlar request METHOD PATH [BODY]`: one authenticated, signed call, its answer on stdout. */
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { parseArguments } from './arguments.ts';
import { callService, type OutgoingRequest, serviceOf } from './call-service.ts';
import { liveCredentials } from './login.ts';
import type { Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const USAGE =
  'ashlar request METHOD PATH [BODY]: such as ashlar request POST /api/v1/wallets \'{"name": …}\'; ' +
  'BODY - reads standard input, @FILE a file';

/** Answers the exit code: 0 for 2xx, 4 and 5 for the statuses that begin so. */
export async function request(config: Config, args: string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: { 'idempotency-key': { type: 'string' }, header: { type: 'string', multiple: true, default: [] } },
  });
  const [method = '', path = '', body, ...more] = positionals;
  if (path === '' || more.length > 0) throw usage(USAGE);
  if (!METHODS.includes(method.toUpperCase())) {
    throw new UsageError(`request ${method}: the method must be one of ${METHODS.join(', ')}`);
  }
  if (!path.startsWith('/')) throw new UsageError(`request ${path}: the path begins with /, such as /api/v1/wallets`);
  const service = serviceOf(config, terminal);
  const url = new URL(path, service);
  // Of `//host/path`: the credentials go to the service alone.
  if (url.origin !== service.origin) throw new UsageError(`request ${path}: this is no path of ${service.origin}`);
  const outgoing: OutgoingRequest = {
    method: method.toUpperCase(),
    url,
    headers: new Headers(values.header.map(headerOf)),
    body: body === undefined ? null : await bodyOf(body, terminal),
  };
  if (values['idempotency-key'] !== undefined) outgoing.headers.set('idempotency-key', values['idempotency-key']);
  return show(await callService(outgoing, await liveCredentials(config, service, terminal)), terminal);
}

async function show(response: Response, terminal: Terminal): Promise<number> {
  const text = await response.text();
  // Lines of an export end with a line feed of their own.
  if (text !== '') terminal.out(pretty(text).replace(/\n$/, ''));
  if (response.ok) return 0;
  const retry = response.headers.get('retry-after');
  const again = retry === null ? '' : `, try again after ${retry} s`;
  terminal.err(`${response.status} (request ${response.headers.get('x-request-id')}${again})`);
  return Math.floor(response.status / 100);
}

async function bodyOf(body: string, terminal: Terminal): Promise<string> {
  if (body === '-') return terminal.stdin();
  if (!body.startsWith('@')) return body;
  try {
    return readFileSync(body.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`the body in ${body.slice(1)} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined) throw new UsageError(`--header "${line}": it must look like "Name: value"`);
  return [name, value ?? ''];
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
