/**
 * The fetcher on Node's HTTP client. The host's addresses are checked where the connection is made, so that a name that answers another
 * address the next time (DNS rebinding) helps nobody; a redirect is not followed; no proxy of the environment is used; nothing is
 * decompressed; bytes and time are counted.
 */

import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { createFairQueue } from '../../scheduling/fair-queue.ts';
import { createAddressRules } from './addresses.ts';
import { checkedLookup } from './checked-lookup.ts';
import { type Fetched, FetchFailed, type Fetching } from './fetching.ts';
import { urlProblem } from './url-problem.ts';

export interface FetchingOptions {
  /** Hosts and networks that may be asked though they are private, and by plain HTTP. */
  readonly allowedHosts: readonly string[];
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
  readonly maxBytes?: number;
  /** Until the connection stands, names resolved. */
  readonly connectMs?: number;
  readonly totalMs?: number;
  readonly atOnce?: number;
  /** Of those, for one account: whoever names slow servers waits for them alone. */
  readonly atOnceForOne?: number;
}

const HEADER_BYTES = 16 * 1024;

export function createFetching(options: FetchingOptions): Fetching {
  const { maxBytes = 1024 * 1024, connectMs = 5_000, totalMs = 10_000, atOnce = 96, atOnceForOne = 10 } = options;
  const resolve = options.resolve ?? ((hostname) => systemLookup(hostname, { all: true }));
  const rules = createAddressRules(options.allowedHosts);
  // Nobody waits: whoever asks asks again later.
  const queue = createFairQueue({
    all: atOnce,
    ofAccount: atOnceForOne,
    waiting: 0,
    busy: () => new FetchFailed('too_many'),
  });

  const problem = (text: string): string | null =>
    urlProblem(text, rules, 'ORACLE_ALLOWED_HOSTS', 'https://oracle.example.com');
  const lookup = checkedLookup(rules, resolve);

  const ask = (url: URL, signal: AbortSignal | undefined): Promise<Fetched | null> =>
    new Promise((resolved, rejected) => {
      const secure = url.protocol === 'https:';
      const { request: begin, Agent } = secure ? https : http;
      const request = begin(url, {
        // Of its own: neither a proxy of the environment nor a connection that was made for another host.
        agent: new Agent({ keepAlive: false }),
        lookup: lookup as never,
        maxHeaderSize: HEADER_BYTES,
        insecureHTTPParser: false,
        headers: {
          accept: 'application/json, text/plain, application/octet-stream',
          'accept-encoding': 'identity',
          'user-agent': 'ashlar',
        },
        ...(secure && { rejectUnauthorized: true }),
      });
      const end = (error: Error | null, answer: Fetched | null = null) => {
        clearTimeout(connecting);
        clearTimeout(whole);
        signal?.removeEventListener('abort', abort);
        if (error === null) resolved(answer);
        else rejected(error instanceof FetchFailed ? error : new FetchFailed('broken'));
        request.destroy();
      };
      const abort = () => end(new FetchFailed('aborted'));
      const connecting = setTimeout(() => end(new FetchFailed('timed_out')), connectMs);
      const whole = setTimeout(() => end(new FetchFailed('timed_out')), totalMs);
      signal?.addEventListener('abort', abort);
      let connected = false;
      request.once('socket', (socket: Socket) => {
        socket.once('connect', () => {
          connected = true;
          clearTimeout(connecting);
          // The lookup has decided; this is what it decided on.
          if (!rules.allows(url.hostname, socket.remoteAddress ?? '')) end(new FetchFailed('address_refused'));
        });
      });
      request.on('error', (error) =>
        end(connected || error instanceof FetchFailed ? error : new FetchFailed('no_connection')),
      );
      request.once('response', (response) => {
        read(response, maxBytes).then(
          (answer) => end(null, answer),
          (error: Error) => end(error),
        );
      });
      request.end();
    });

  return {
    problem,
    async get(text, signal, accountId = '') {
      if (problem(text) !== null) throw new FetchFailed('url_refused');
      if (signal?.aborted) throw new FetchFailed('aborted');
      return queue.take({ accountId }, () => ask(new URL(text), signal));
    },
  };
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Fetched | null> {
  const { statusCode = 0, headers } = response;
  if (statusCode === 404) return null;
  if (statusCode >= 300 && statusCode < 400) throw new FetchFailed('redirected');
  if (statusCode !== 200) throw new FetchFailed('status');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new FetchFailed('content_encoding');
  const kind = kindOf(headers['content-type']);
  if (kind === null) throw new FetchFailed('content_type');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new FetchFailed('too_large');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new FetchFailed('too_large');
    chunks.push(chunk as Buffer);
  }
  return { kind, body: Buffer.concat(chunks, size) };
}

function kindOf(contentType: string | undefined): Fetched['kind'] | null {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'text/plain') return 'text';
  return type === 'application/octet-stream' ? 'binary' : null;
}
