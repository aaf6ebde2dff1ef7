/** `ashlar request METHOD PATH [BODY]`: one authenticated, signed call, its answer on stdout. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { requestSigner, signRequest } from '../core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../core/request-signatures/signing-algorithm.ts';
import { parseArguments } from './arguments.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { serviceUrl } from './service-url.ts';
import type { Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const USAGE =
  'ashlar request METHOD PATH [BODY]: such as ashlar request POST /api/v1/wallets \'{"name": …}\'; ' +
  'BODY - reads standard input, @FILE a file';

export interface OutgoingRequest {
  method: string;
  url: URL;
  headers: Headers;
  body: string | null;
}

/** What is done to a request before it goes out, in order. Signing, which covers all the others, is last. */
type Step = (request: OutgoingRequest, credentials: Credentials) => void;

const STEPS: readonly Step[] = [
  (request, { api_key }) => request.headers.set('authorization', `Bearer ${api_key}`),
  ({ headers, body }) => {
    if (body !== null && !headers.has('content-type')) headers.set('content-type', 'application/json');
  },
  ({ method, headers }) => {
    if (method !== 'GET' && !headers.has('idempotency-key')) headers.set('idempotency-key', randomUUID());
  },
  sign,
];

/** Signs, where the credentials hold a private key: those of an API key that need not sign may have none. Few reads need it. */
function sign({ method, url, headers, body }: OutgoingRequest, { private_key: jwk }: Credentials): void {
  if (jwk === undefined) return;
  const signed = signRequest(
    { method, url: url.href, headers: Object.fromEntries(headers), body: body === null ? null : Buffer.from(body) },
    requestSigner(jwk as unknown as PrivateJwk),
    { created: Math.floor(Date.now() / 1000), nonce: randomBytes(16).toString('base64url') },
  );
  for (const [name, value] of Object.entries(signed)) headers.set(name, value);
}

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
  const service = serviceUrl(terminal.env.ASHLAR_URL || ownUrl(config));
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
  const credentials = readCredentials(config, terminal);
  for (const step of STEPS) step(outgoing, credentials);
  return send(outgoing, terminal);
}

async function send({ method, url, headers, body }: OutgoingRequest, terminal: Terminal): Promise<number> {
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body, redirect: 'manual' });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    throw new UsageError(
      `no answer from ${url.origin} (${cause ?? 'unknown'}): is the service running? ASHLAR_URL says where`,
    );
  }
  const text = await response.text();
  if (text !== '') terminal.out(pretty(text));
  if (response.ok) return 0;
  const retry = response.headers.get('retry-after');
  const again = retry === null ? '' : `, try again after ${retry} s`;
  terminal.err(`${response.status} (request ${response.headers.get('x-request-id')}${again})`);
  return Math.floor(response.status / 100);
}

function ownUrl({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
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
