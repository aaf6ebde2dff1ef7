/** Turns operation declarations into routes. This is the one way a route comes to be; any other fails the boot. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { z } from 'zod';
import { DomainError } from '../core/errors.ts';
import type { AnswerJobs, Computing } from '../engines/computing/computing.ts';
import type { HeldChanges } from '../services/approvals/held-changes.ts';
import type { RecordRefusal } from '../services/audit/record-refusal.ts';
import { AwaitsApproval } from '../services/policies/pass-change.ts';
import type { IdempotencyService, KeptAnswer } from '../services/requests/idempotency.ts';
import type { RecordSeparately } from '../services/requests/record-separately.ts';
import type { IdempotencyClaim } from '../services/requests/request-context.ts';
import type { Page } from '../store/records.ts';
import { contextOf } from './context-of.ts';
import { assertDeclaration } from './declaration-rules.ts';
import type { PublicDocument } from './documents/public-document.ts';
import { sendCompressed, sendDocument } from './documents/send-document.ts';
import { isDryRun } from './dry-run.ts';
import { createEndOfTick } from './end-of-tick.ts';
import { holdChange, registerChange } from './held-changes.ts';
import { type Fingerprints, idempotencyKeyOf } from './idempotency.ts';
import { malformedBody, refuseEncodedBody, textOf } from './input/bodies.ts';
import { bodyToValidate, SMALL_BODY_BYTES } from './input/body-to-validate.ts';
import { acceptForm, FORM } from './input/form-bodies.ts';
import { assertWire } from './input/schema-rules.ts';
import { type Parts, parsePart } from './input/validation.ts';
import { type AnyOperation, BODY_LIMIT } from './operation.ts';
import { recordUnanswered } from './refusals/audit-refusals.ts';
import { isPage, serializePage } from './serialize-page.ts';
import { serializerOf } from './serializer.ts';

/** What the hook layer reads of a route. An operation is one; a WebSocket or page route brings its own in `config`. */
export type RouteDeclaration = Pick<
  AnyOperation,
  | 'id'
  | 'family'
  | 'effect'
  | 'access'
  | 'credentials'
  | 'limitClass'
  | 'dryRun'
  | 'secretBody'
  | 'secretAnswer'
  | 'bindsSignature'
  | 'changesRules'
  | 'spends'
  | 'auditsReads'
  | 'inWorker'
  | 'takesNul'
  | 'outlasts'
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    declaration?: RouteDeclaration;
  }
}

const NOTHING = z.strictObject({});
const NO_BODY = z.strictObject({}).nullish();

/** A route whose declaration is missing would pass the hook layer unseen: the boot fails instead. */
export const declaredRoutesOnly = fp(
  async (app) => {
    const routes: { url: string; method: string | string[]; config?: { declaration?: RouteDeclaration } }[] = [];
    app.addHook('onRoute', (route) => {
      routes.push(route);
    });
    // At ready, because a plugin that declares another's routes does it in an onRoute hook of its own.
    app.addHook('onReady', async () => {
      const bare = routes.filter((route) => route.config?.declaration === undefined);
      if (bare.length > 0) {
        const names = bare.map((route) => `${[route.method].flat().join('|')} ${route.url}`);
        throw new Error(`routes without a declaration: ${names.join(', ')}`);
      }
    });
  },
  { name: 'declared-routes-only' },
);

export interface OperationDeps {
  readonly idempotency: Pick<IdempotencyService, 'begin'>;
  readonly fingerprints: Pick<Fingerprints, 'of'>;
  /** Both absent: nothing is recorded but what operations record themselves (tests of the layer). */
  readonly recordSeparately?: RecordSeparately;
  readonly recordRefusal?: RecordRefusal;
  /** Where what changes rules waits for approvals; absent: nothing does (tests of the layer). */
  readonly heldChanges?: Pick<HeldChanges, 'register' | 'hold'>;
  /** For operations that are worked on in worker threads. */
  readonly computing?: Computing<AnswerJobs>;
  /** Of the whole process. */
  readonly endOfTick?: () => Promise<void>;
}

/** Registers operations on an instance that has the hook layer. Their ids and routes are distinct. */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly AnyOperation[],
  deps: OperationDeps,
): void {
  const tools: Tools = { ...deps, endOfTick: deps.endOfTick ?? createEndOfTick() };
  for (const operation of operations) {
    assertDeclaration(operation);
    assertWire(operation);
    registerChange(operation, deps);
    const { bodyContentType } = operation;
    const add = (scope: FastifyInstance): void => {
      for (const url of urlsOf(operation)) {
        scope.route({
          method: operation.method,
          url,
          bodyLimit: operation.bodyLimit ?? BODY_LIMIT,
          config: { declaration: operation },
          handler: (request, reply) => handle(operation, request, reply, tools),
        });
      }
    };
    if (bodyContentType === undefined) {
      add(app);
      continue;
    }
    // Parsers of other content types are for its own body alone.
    app.register(async (scope) => {
      if (bodyContentType === FORM) acceptForm(scope);
      else acceptText(scope, bodyContentType);
      add(scope);
    });
  }
}

/** As the router has them: a parameter of its own ends at a slash, which the rest of a path does not. */
function urlsOf({ path, takesSlashes }: AnyOperation): string[] {
  const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return takesSlashes ? [url, url.replace(/:\w+$/, '*')] : [url];
}

function paramsOf({ path }: AnyOperation, params: object): object {
  if (!('*' in params)) return params;
  const { '*': rest, ...others } = params;
  return { ...others, [(/\{(\w+)\}$/.exec(path) as RegExpExecArray)[1] as string]: rest };
}

interface Tools extends OperationDeps {
  readonly endOfTick: () => Promise<void>;
}

/** The texts of results that were kept for retries: they are answered as well. */
const written = new WeakMap<object, string>();

async function handle(
  operation: AnyOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  tools: Tools,
): Promise<FastifyReply> {
  const key = operation.idempotent && !isDryRun(request) ? keyOf(request) : null;
  if (key === null || request.caller === null) return respond(operation, request, reply, null, tools);

  const outcome = await tools.idempotency.begin({
    accountId: request.caller.accountId,
    ...key,
    fingerprint: tools.fingerprints.of(request),
    operation: operation.id,
    render(result) {
      const body = render(operation, result);
      if (typeof result === 'object' && result !== null) written.set(result, body);
      return { status: statusOf(operation, result), body };
    },
  });
  if (outcome.kind === 'replay') return replay(operation, reply, outcome);
  try {
    return await respond(operation, request, reply, outcome.claim, tools);
  } catch (error) {
    // Where another process was quicker with the same request, its effect stands in this one's way: a name is taken, a coin spent.
    const kept = error instanceof DomainError && !reply.sent ? await outcome.keptMeanwhile() : null;
    if (kept === null) throw error;
    return replay(operation, reply, kept);
  } finally {
    // When the work has ended, not when the answer went out: after a time-out it may still be under way.
    outcome.release();
  }
}

function replay(operation: AnyOperation, reply: FastifyReply, { status, body }: KeptAnswer): FastifyReply {
  const { headers = {}, etag } = operation.success;
  reply.status(status).headers(headers).header('idempotency-replayed', 'true');
  if (etag !== undefined && status === operation.success.status) reply.header('etag', etag(JSON.parse(body) as never));
  return status === 204 ? reply.send() : reply.type(contentType(operation)).send(body);
}

/** The Idempotency-Key, or else the nonce of the signature: so that sending the same bytes again is safe. */
function keyOf(request: FastifyRequest): { key: string; from: 'header' | 'nonce' } | null {
  const sent = idempotencyKeyOf(request);
  if (sent !== null) return { key: sent, from: 'header' };
  return request.signature === null ? null : { key: request.signature.nonce, from: 'nonce' };
}

async function respond(
  operation: AnyOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  claim: IdempotencyClaim | null,
  tools: Tools,
): Promise<FastifyReply> {
  const params = parsePart(operation.params ?? NOTHING, 'params', paramsOf(operation, request.params as object));
  const parts = { query: operation.query, body: operation.body };
  const query = parsePart(operation.query ?? NOTHING, 'query', request.query, parts);
  if (isForWorker(operation, request)) {
    const bytes = await inWorker(operation, request, reply, tools);
    return reply.sent ? reply : reply.status(operation.success.status).type(contentType(operation)).send(bytes);
  }
  const input = {
    params,
    query,
    body: await checkedBody(operation, request, parts),
    authorization: operation.access === 'public' ? (request.headers.authorization ?? null) : null,
    cookie: operation.access === 'public' ? (request.headers.cookie ?? null) : null,
    ifMatch: operation.conditional ? (request.headers['if-match'] ?? null) : null,
    sent: () => request.rawBody?.toString('utf8') ?? '',
  };
  const result = await runAudited(operation, input, { request, reply, claim }, tools);
  if (reply.sent) return reply;
  if (operation.success.headers !== undefined) reply.headers(operation.success.headers);
  if (operation.success.resultHeaders !== undefined) reply.headers(operation.success.resultHeaders(result));
  const status = statusOf(operation, result);
  if (status === 204) return reply.status(status).send();
  if (operation.success.document) return sendDocument(operation.present(result) as PublicDocument, request, reply);
  const { streamed } = operation.success;
  if (streamed === true || streamed?.(result)) {
    if (!reply.hasHeader('content-type')) reply.type(contentType(operation));
    return reply.status(status).send(operation.present(result));
  }
  reply.status(status).type(contentType(operation));
  if (isPage(result)) return sendPage(operation, request, reply, result, tools);
  if (operation.success.etag !== undefined && status === operation.success.status) {
    reply.header('etag', operation.success.etag(operation.present(result) as never));
  }
  const text = written.get(result as object) ?? render(operation, result);
  if (operation.success.compressed) return sendCompressed(text, request, reply);
  await tools.endOfTick();
  return reply.send(text);
}

async function sendPage(
  operation: AnyOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<unknown>,
  tools: Tools,
): Promise<FastifyReply> {
  const goOn = (): void => request.operationContext?.signal.throwIfAborted();
  const text = await serializePage(page, (part) => render(operation, part), goOn);
  await tools.endOfTick();
  if (reply.sent) return reply;
  if (typeof text === 'string') return reply.send(text);
  const bytes = text.reduce((sum, piece) => sum + piece.length, 0);
  return reply.header('content-length', bytes).send(Readable.from(text, { objectMode: false }));
}

/** Others get their turn when a long one has been checked. */
async function checkedBody(operation: AnyOperation, { body, rawBody }: FastifyRequest, parts: Parts): Promise<unknown> {
  const bytes = rawBody?.length ?? 0;
  const checked = parsePart(operation.body ?? NO_BODY, 'body', bodyToValidate(operation, body, bytes), parts);
  if (bytes > SMALL_BODY_BYTES) await nextTurn();
  return checked;
}

const isForWorker = ({ inWorker }: AnyOperation, { body, rawBody }: FastifyRequest): boolean =>
  inWorker !== undefined && rawBody !== null && inWorker(rawBody.length, body);

/** The bytes of its answer. Such operations write nothing: there is nothing to record. */
async function inWorker(
  operation: AnyOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  { computing }: Tools,
): Promise<Buffer> {
  if (computing === undefined) throw new Error(`${operation.id} needs workers`);
  const context = contextOf(request, null, reply);
  const { accountId, signal } = context;
  const answered = (found: unknown) => {
    const body = new Uint8Array(request.rawBody as Buffer);
    return computing.run(
      'operation.answer',
      { operation: operation.id, body, found },
      { accountId, signal, transfer: [body] },
    );
  };
  let made = await answered(undefined);
  if ('asked' in made) made = await answered(await operation.lookUp?.(made.asked, context));
  if ('malformed' in made) throw malformedBody(made.malformed);
  if ('asked' in made) throw new Error(`${operation.id} asks twice`);
  return Buffer.from(made.answer.buffer);
}

/** A modifying operation does not end without its audit record, however it ends. */
async function runAudited(
  operation: AnyOperation,
  input: Omit<Parameters<AnyOperation['run']>[0], 'found'>,
  { request, reply, claim }: { request: FastifyRequest; reply: FastifyReply; claim: IdempotencyClaim | null },
  { recordSeparately, recordRefusal, heldChanges }: Tools,
): Promise<unknown> {
  const context = contextOf(request, claim, reply);
  request.operationContext = context;
  try {
    const asked = (await operation.asks?.(input.body, context)) ?? null;
    const found = asked === null ? null : await operation.lookUp?.(asked, context);
    const result = await operation.run({ ...input, found }, context).catch((error: unknown) => {
      if (error instanceof AwaitsApproval) return holdChange(error, request, context, heldChanges);
      throw error;
    });
    if (operation.effect === 'write' && !context.outcome.recorded && !isDryRun(request)) {
      await recordSeparately?.(context, result);
    }
    return result;
  } catch (error) {
    if (reply.sent && recordRefusal !== undefined) await recordUnanswered(recordRefusal, request, error);
    throw error;
  }
}

function statusOf({ success: { status, otherwise, waiting } }: AnyOperation, result: unknown): number {
  if (otherwise?.when(result)) return otherwise.status;
  return waiting?.when(result) ? waiting.status : status;
}

const contentType = (operation: AnyOperation): string =>
  operation.success.contentType ?? 'application/json; charset=utf-8';

/** The answer's text: the same bytes when it is first given and when it is replayed. */
function render(operation: AnyOperation, result: unknown): string {
  const { contentType: other, schema, waiting } = operation.success;
  if (statusOf(operation, result) === 204) return '';
  const body = operation.present(result);
  if (other !== undefined) return body as string;
  return serializerOf((waiting?.when(result) && waiting.schema) || schema)(body);
}

/** Takes a media type beside JSON, as text. */
function acceptText(scope: FastifyInstance, mediaType: string): void {
  scope.addContentTypeParser(mediaType, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    refuseEncodedBody(request);
    request.rawBody = bytes;
    await nextTurn();
    const text = textOf(bytes);
    await nextTurn();
    return text;
  });
}
