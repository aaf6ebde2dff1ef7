import { Pool } from 'undici';
import { DomainError } from '../../core/errors.ts';
import { parseExactJson } from '../exact-json.ts';

/** What an Esplora server said no to (HTTP 4xx other than 404 and 429); `message` is its text. */
export class EsploraRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'EsploraRefusal';
    this.status = status;
  }
}

/**
 * GET and POST on an Esplora server. Every method answers null for 404, and throws DomainError `node_unavailable` where the server does
 * not answer, is overloaded (429, with its Retry-After) or broken (5xx), and EsploraRefusal for the rest.
 */
export interface EsploraClient {
  json<T>(path: string): Promise<T | null>;
  text(path: string): Promise<string | null>;
  bytes(path: string): Promise<Uint8Array | null>;
  post(path: string, body: string): Promise<string | null>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 20_000;
const CONNECTIONS = 8;
const RETRY_AFTER_SECONDS = 5;

export function createEsploraClient(baseUrl: string): EsploraClient {
  const url = new URL(baseUrl);
  const prefix = url.pathname.replace(/\/+$/, '');
  const authorization =
    url.username || url.password
      ? `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`
      : null;
  const pool = new Pool(url.origin, { connections: CONNECTIONS, pipelining: 1, connect: { timeout: 10_000 } });

  async function request(method: 'GET' | 'POST', path: string, body?: string): Promise<Uint8Array | null> {
    let status: number;
    let answer: Uint8Array;
    let retryAfter: string | string[] | undefined;
    try {
      const response = await pool.request({
        method,
        path: `${prefix}${path}`,
        headers: {
          ...(authorization && { authorization }),
          ...(body !== undefined && { 'content-type': 'text/plain' }),
        },
        ...(body !== undefined && { body }),
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      status = response.statusCode;
      retryAfter = response.headers['retry-after'];
      answer = new Uint8Array(await response.body.arrayBuffer());
    } catch (error) {
      const { code, name } = error as { code?: string; name?: string };
      throw unavailable('the Esplora server does not answer', code ?? name ?? 'unknown', RETRY_AFTER_SECONDS);
    }
    if (status >= 200 && status < 300) return answer;
    if (status === 404) return null;
    if (status === 429) {
      const seconds = Number(retryAfter);
      throw unavailable('the Esplora server limits our requests', 'HTTP 429', seconds > 0 ? seconds : 60);
    }
    if (status >= 500) throw unavailable('the Esplora server is out of order', `HTTP ${status}`, RETRY_AFTER_SECONDS);
    throw new EsploraRefusal(status, Buffer.from(answer).toString('utf8').slice(0, 1000));
  }

  const asText = (answer: Uint8Array | null): string | null => answer && Buffer.from(answer).toString('utf8').trim();
  return {
    async json<T>(path: string) {
      const text = asText(await request('GET', path));
      if (text === null) return null;
      try {
        return parseExactJson(text) as T;
      } catch {
        throw unavailable('the Esplora server answers something other than JSON', path, RETRY_AFTER_SECONDS);
      }
    },
    text: async (path) => asText(await request('GET', path)),
    bytes: (path) => request('GET', path),
    post: async (path, body) => asText(await request('POST', path, body)),
    close: () => pool.destroy(),
  };
}

const unavailable = (message: string, reason: string, retryAfterSeconds: number): DomainError =>
  new DomainError('node_unavailable', message, { reason, retryAfterSeconds });
