/** One OpenAI-compatible server: its connections, its places, its circuit. */
import { type Dispatcher, Pool } from 'undici';
import type { AccountId } from '../../core/ids.ts';
import type { ChatPiece, ChatRequest } from '../../core/inference/chat.ts';
import { createOutage, type OutageLog } from '../../outages/outage.ts';
import { createFairQueue, type FairQueue } from '../../scheduling/fair-queue.ts';
import { type CircuitOptions, createCircuit } from './circuit.ts';
import type { UpstreamConfig, UpstreamModel } from './inference-config.ts';
import type { InferenceCounts, InferenceResult } from './inference-series.ts';
import { ANSWER_BOUNDS, readStream, readWhole } from './read-answer.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { failureOfStatus } from './read-refusal.ts';
import { UpstreamFailed } from './upstream-failed.ts';
import { chatBody } from './wire-request.ts';

const HEADER_BYTES = 16 * 1024;
/** Of an answer that is one document: parsing it holds the thread up. */
const DOCUMENT_BYTES = 2 * 1024 * 1024;
const ERROR_BYTES = 16 * 1024;
/** Of one account, for a place. */
const MOST_WAITING = 256;
/** For what a server sends after [DONE], so that the connection can be used again. */
const REST_MS = 1_000;

export interface Asking {
  readonly accountId: AccountId;
  readonly signal: AbortSignal;
  working?(): void;
}

export interface UpstreamDeps {
  readonly log: OutageLog;
  readonly clock: () => number;
  readonly counts: InferenceCounts;
  readonly circuit: CircuitOptions;
}

export type Upstream = ReturnType<typeof createUpstream>;

export function createUpstream(config: UpstreamConfig, deps: UpstreamDeps) {
  const { name, timeouts, maxConcurrent, apiKey } = config;
  const { log, clock, counts } = deps;
  const url = new URL(config.baseUrl);
  const prefix = url.pathname.replace(/\/+$/, '');
  const pool = new Pool(url.origin, {
    ...{ connections: maxConcurrent + 1, pipelining: 1, keepAliveTimeout: 10_000, maxHeaderSize: HEADER_BYTES },
    // Its own timers tell the beginning of an answer from its end.
    ...{ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: timeouts.connectMs } },
  });
  const places = createFairQueue({
    // A place is held for as long as an answer lasts: one account never has all of them.
    ...{ all: maxConcurrent, ofAccount: Math.max(1, Math.ceil(maxConcurrent / 2)) },
    ...{ waiting: MOST_WAITING, waitMs: timeouts.placeMs },
    busy: () => new UpstreamFailed('busy'),
  });
  const circuit = createCircuit(deps.circuit, clock);
  const said = { ...{ log, clock }, part: 'inference', host: url.host };
  const outage = createOutage({
    ...said,
    began: `the upstream ${name} does not answer: it is not asked for a while`,
    ended: `the upstream ${name} answers again`,
  });
  const misconfigured = new Map(
    config.models.map(({ id, upstreamModel }) => [
      id,
      createOutage({
        ...said,
        began: `the upstream ${name} refuses the service's questions to ${upstreamModel}: see to its key, base_url and models in AI_CONFIG`,
        ended: `the upstream ${name} takes questions to ${upstreamModel} again`,
      }),
    ]),
  );

  function note(model: UpstreamModel, failure: UpstreamFailed | null, signal: AbortSignal): void {
    if (failure === null) {
      circuit.answered();
      misconfigured.get(model.id)?.ended();
    } else if (signal.aborted) circuit.gaveUp();
    else if (failure.isOutage) circuit.failed(failure.retryAfterMs);
    else if (failure.failure === 'limited') circuit.limited(failure.retryAfterMs);
    else circuit.gaveUp();
    if (failure?.failure === 'misconfigured' && !signal.aborted) misconfigured.get(model.id)?.began(failure);
    if (circuit.isOpen()) outage.began(failure);
    else outage.ended();
  }

  /** Pieces of what `read` makes of the answer, in a place, counted. Throws UpstreamFailed, or the signal's reason. */
  async function* ask<Piece>(
    { model, path, body }: { model: UpstreamModel; path: string; body: string },
    { accountId, signal, working }: Asking,
    read: (answer: Dispatcher.ResponseData) => AsyncIterable<Piece | null>,
  ): AsyncGenerator<Piece> {
    let leave: () => void;
    try {
      leave = await enter(places, { accountId, signal });
    } catch (error) {
      circuit.gaveUp();
      counts.notBegun(name, error instanceof UpstreamFailed ? error.failure : 'cancelled');
      throw error;
    }
    const asked = performance.now();
    const ending = new AbortController();
    const watch = createWatch(() => ending.abort(new UpstreamFailed('timed_out')), timeouts);
    let result: InferenceResult = 'cancelled';
    let first = true;
    const ended = counts.began(name);
    try {
      const answer = await pool.request({
        ...{ method: 'POST', path: `${prefix}${path}`, body, signal: AbortSignal.any([signal, ending.signal]) },
        headers: {
          ...{ 'content-type': 'application/json', 'accept-encoding': 'identity', 'user-agent': 'ashlar' },
          ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        },
      });
      await refuse(answer, clock());
      for await (const piece of read(answer)) {
        if (piece === null) {
          watch.rests();
          watch.reads();
          working?.();
          continue;
        }
        if (first) {
          first = false;
          counts.firstByte(name, (performance.now() - asked) / 1000);
          if (circuit.isOpen()) note(model, null, signal);
        }
        watch.rests();
        yield piece;
        watch.reads();
      }
      result = 'answered';
      note(model, null, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(ending.signal.aborted ? ending.signal.reason : error);
      result = failure.failure;
      note(model, failure, signal);
      throw failure;
    } finally {
      if (first && result === 'cancelled') circuit.gaveUp();
      watch.stop();
      ended(result);
      if (result !== 'answered') ending.abort();
      leave();
    }
  }

  return {
    config,
    circuit,
    chat: (model: UpstreamModel, request: ChatRequest, asking: Asking): AsyncGenerator<ChatPiece> =>
      ask({ model, path: '/chat/completions', body: chatBody(request, model) }, asking, chatPieces),
    embed: (model: UpstreamModel, input: readonly string[], asking: Asking) =>
      ask(
        { model, path: '/embeddings', body: JSON.stringify({ model: model.upstreamModel, input }) },
        asking,
        async function* ({ body }) {
          yield readEmbeddings(await textOf(body, DOCUMENT_BYTES), input.length);
        },
      ),
    /** What is under way goes on to its end. */
    async retire(): Promise<void> {
      await places.ended();
      await pool.close();
    },
    async close(): Promise<void> {
      places.dismiss(new UpstreamFailed('busy'));
      await pool.destroy();
    },
  };
}

/** Ends what takes too long; while nobody reads, no time passes. */
function createWatch(tell: () => void, { firstByteMs, silenceMs }: UpstreamConfig['timeouts']) {
  let timer = setTimeout(tell, firstByteMs);
  return {
    rests: (): void => clearTimeout(timer),
    reads(): void {
      timer = setTimeout(tell, silenceMs);
    },
    stop: (): void => clearTimeout(timer),
  };
}

/** Resolves in its turn, with what gives the place back. */
async function enter(places: FairQueue, asker: Asking): Promise<() => void> {
  const entered = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const taken = places.take(asker, () => {
    entered.resolve();
    return left.promise;
  });
  taken.catch(entered.reject);
  await entered.promise;
  return left.resolve;
}

async function refuse({ statusCode, headers, body }: Dispatcher.ResponseData, now: number): Promise<void> {
  const encoding = headers['content-encoding'];
  if (statusCode === 200 && (encoding === undefined || encoding === 'identity')) return;
  if (statusCode < 300) {
    body.destroy();
    throw new UpstreamFailed('malformed', { reason: statusCode === 200 ? 'compressed' : `HTTP ${statusCode}` });
  }
  const text = await textOf(body, ERROR_BYTES).catch(() => '');
  throw failureOfStatus(statusCode, text, [headers['retry-after']].flat()[0], now);
}

async function* chatPieces({ headers, body }: Dispatcher.ResponseData): AsyncGenerator<ChatPiece | null> {
  const type = String(headers['content-type'] ?? '').toLowerCase();
  if (type.startsWith('application/json')) return yield* readWhole(await textOf(body, DOCUMENT_BYTES));
  if (!type.startsWith('text/event-stream')) {
    body.destroy();
    throw new UpstreamFailed('malformed', { reason: 'neither an event stream nor JSON' });
  }
  let whole = false;
  try {
    yield* readStream(body.iterator({ destroyOnReturn: false }), ANSWER_BOUNDS);
    whole = true;
  } finally {
    if (!whole) body.destroy();
    else body.dump({ limit: ANSWER_BOUNDS.maxBytes, signal: AbortSignal.timeout(REST_MS) }).catch(() => {});
  }
}

async function textOf(body: Dispatcher.ResponseData['body'], most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) throw new UpstreamFailed('too_large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size).toString();
}

const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|DEPTH_.*|SELF_.*|UNABLE_.*|ERR_TLS.*|ERR_SSL.*|EPROTO)$/;

/** An error of the connection, by its code: its message may hold an address. */
function failureOf(error: unknown): UpstreamFailed {
  if (error instanceof UpstreamFailed) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (NO_CONNECTION.test(code)) return new UpstreamFailed('no_connection', { reason: code });
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new UpstreamFailed('too_large', { reason: code });
  if (/^HPE_/.test(code)) return new UpstreamFailed('malformed', { reason: code });
  if (/^(UND_ERR_|E[A-Z]+$)/.test(code)) return new UpstreamFailed('broken_off', { reason: code });
  // A defect of ours.
  throw error;
}
