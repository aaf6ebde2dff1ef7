/** A request of the command line to the service: authenticated, signed, sent. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { requestSigner, signRequest } from '../core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../core/request-signatures/signing-algorithm.ts';
import type { Credentials } from './credentials.ts';
import { serviceUrl } from './service-url.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface OutgoingRequest {
  method: string;
  url: URL;
  headers: Headers;
  body: string | null;
}

/** What is done to a request before it goes out, in order. Signing, which covers all the others, is last. */
type Step = (request: OutgoingRequest, credentials: Credentials) => void;

const STEPS: readonly Step[] = [
  ({ headers }, { api_key, access_token }) => {
    const token = api_key ?? access_token;
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  },
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

/** Throws UsageError where nothing answers. */
export async function callService(request: OutgoingRequest, credentials: Credentials): Promise<Response> {
  for (const step of STEPS) step(request, credentials);
  const { method, url, headers, body } = request;
  try {
    return await fetch(url, { method, headers, body, redirect: 'manual' });
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    throw new UsageError(
      `no answer from ${url.origin} (${cause ?? 'unknown'}): is the service running? ASHLAR_URL says where`,
    );
  }
}

/** ASHLAR_URL, or where HOST and PORT say that the service listens. */
export const serviceOf = (config: Config, { env }: Pick<Terminal, 'env'>): URL =>
  serviceUrl(env.ASHLAR_URL || ownUrl(config));

function ownUrl({ host, port }: Config): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
