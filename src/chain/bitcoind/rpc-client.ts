import { Pool } from 'undici';
import { DomainError } from '../../core/errors.ts';
import { parseExactJson } from '../exact-json.ts';
import { postText } from './post-text.ts';
import { rpcCredentials } from './rpc-credentials.ts';
import { RPC, RpcError } from './rpc-error.ts';

export interface RpcClientOptions {
  /** http(s)://[user:password@]host:port[/wallet/name]; userinfo is taken out before the first use. */
  url: string;
  cookieFile?: string;
  /** Parallel connections; the node answers on 16 threads by default. */
  connections?: number;
}

interface RpcCallOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Fractions in the answer stay text (amounts). Costs a reviver call per value: not for large answers without amounts. */
  exact?: boolean;
}

export interface RpcCall {
  method: string;
  params?: readonly unknown[];
}
export type RpcOutcome = { result: unknown; error: null } | { result: null; error: RpcError };

/**
 * Every method throws DomainError `node_unavailable` where the node does not answer, refuses the credentials or still warms up, and
 * `node_syncing` where it says that it is in initial download.
 */
export interface RpcClient {
  /** Throws RpcError where the node answers one. */
  call<T>(method: string, params?: readonly unknown[], options?: RpcCallOptions): Promise<T>;
  /** One HTTP request; one outcome per call, in order. */
  batch(calls: readonly RpcCall[], options?: RpcCallOptions): Promise<RpcOutcome[]>;
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 15_000;
/** Mining twice is the one thing that must not happen because an answer was lost. */
const NOT_REPEATABLE = /^generate/;

interface WireAnswer {
  id: number | null;
  result?: unknown;
  error?: { code: number; message: string } | null;
}

/** A JSON-RPC client for Bitcoin Core over keep-alive connections. */
export function createRpcClient(options: RpcClientOptions): RpcClient {
  const url = new URL(options.url);
  const credentials = rpcCredentials(url, options.cookieFile);
  const path = `${url.pathname}${url.search}`;
  const pool = new Pool(url.origin, {
    connections: options.connections ?? 8,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    connect: { timeout: 5_000 },
  });

  async function post(
    body: string,
    call: RpcCallOptions,
    repeatable: boolean,
  ): Promise<{ status: number; text: string }> {
    const timeoutMs = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    for (let attempt = 0; ; attempt += 1) {
      const authorization = await credentials.header();
      try {
        const answer = await postText(pool, {
          path,
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
          body,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
          ...(call.signal && { signal: call.signal }),
        });
        if (answer.status === 401 && attempt === 0 && credentials.refresh()) continue;
        return answer;
      } catch (error) {
        call.signal?.throwIfAborted();
        // A kept-alive connection may have been closed under us just now.
        if (attempt === 0 && repeatable && isClosedConnection(error)) continue;
        throw unavailable('the Bitcoin node does not answer', errorCode(error));
      }
    }
  }

  async function ask(payload: unknown, call: RpcCallOptions, repeatable: boolean): Promise<unknown> {
    const { status, text } = await post(JSON.stringify(payload), call, repeatable);
    if (status === 401 || status === 403) {
      throw unavailable('the Bitcoin node refuses the RPC credentials or this address', `HTTP ${status}`);
    }
    try {
      // JSON-RPC 1.x errors come as HTTP 500 or 404 with a JSON body; a full work queue as 503 with plain text.
      return call.exact ? parseExactJson(text) : JSON.parse(text);
    } catch {
      throw unavailable('the Bitcoin node cannot answer now', `HTTP ${status}`);
    }
  }

  return {
    async call<T>(method: string, params: readonly unknown[] = [], call: RpcCallOptions = {}) {
      const answer = (await ask({ id: 0, method, params }, call, !NOT_REPEATABLE.test(method))) as WireAnswer;
      const outcome = outcomeOf(method, answer);
      if (outcome.error) throw outcome.error;
      return outcome.result as T;
    },
    async batch(calls, call = {}) {
      if (calls.length === 0) return [];
      const payload = calls.map(({ method, params = [] }, id) => ({ id, method, params }));
      const answers = await ask(payload, call, !calls.some(({ method }) => NOT_REPEATABLE.test(method)));
      if (!Array.isArray(answers)) {
        const refusal = outcomeOf('batch', answers as WireAnswer);
        throw refusal.error ?? unavailable('the Bitcoin node did not answer the batch', 'no array');
      }
      const byId = new Map((answers as WireAnswer[]).map((answer) => [answer.id, answer]));
      return calls.map(({ method }, id) => outcomeOf(method, byId.get(id) ?? { id }));
    },
    close: () => pool.destroy(),
  };
}

function outcomeOf(method: string, answer: WireAnswer): RpcOutcome {
  if (answer.error) {
    const { code, message } = answer.error;
    if (code === RPC.inWarmup) throw unavailable('the Bitcoin node is starting', message);
    if (code === RPC.inInitialDownload)
      throw new DomainError('node_syncing', 'the Bitcoin node is in initial download');
    return { result: null, error: new RpcError(method, code, message) };
  }
  if (answer.result === undefined) throw unavailable('the Bitcoin node gave no answer', method);
  return { result: answer.result, error: null };
}

const unavailable = (message: string, reason: string): DomainError =>
  new DomainError('node_unavailable', message, { reason, retryAfterSeconds: 5 });

const errorCode = (error: unknown): string =>
  (error as { code?: string }).code ?? (error instanceof Error ? error.name : 'unknown');

const isClosedConnection = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(errorCode(error));
