/** What Fastify is made with, and how requests that never reach a route are answered in the usual form. */
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { LazyChildLogger } from './lazy-child-logger.ts';
import { BODY_LIMIT } from './operation.ts';
import { errorBody, HttpRefusal, sendRefusal } from './refusals/errors.ts';
import { createRequestIds, requestIdOf } from './request-id.ts';
import { rewriteVersion } from './versioning.ts';

const ARRIVES_WITHIN_MS = 60_000;
/** The longest path parameter is a percent-encoded Idempotency-Key. */
const MAX_PARAM_LENGTH = 1024;

export function serverOptions(deps: {
  log: Logger;
  randomBytes: (size: number) => Uint8Array;
  trustProxy: string[] | false;
}) {
  const { log, randomBytes, trustProxy } = deps;
  const nextId = createRequestIds(randomBytes);
  return {
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy,
    bodyLimit: BODY_LIMIT,
    // For a request to arrive whole; how long it is worked on is time-out.ts's.
    requestTimeout: ARRIVES_WITHIN_MS,
    // Load balancers ask by HEAD.
    exposeHeadRoutes: true,
    requestIdHeader: false as const,
    childLoggerFactory: (logger: FastifyBaseLogger, bindings: Record<string, unknown>) =>
      new LazyChildLogger(logger, bindings) as unknown as FastifyBaseLogger,
    genReqId: requestIdOf(nextId),
    rewriteUrl: rewriteVersion,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle' as const,
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      const { server } = request;
      reply.header('x-request-id', request.id).headers(server.securityHeaders);
      reply.headers(server.corsHeaders?.(request.headers.origin) ?? {});
      // No path, no credential: counted like a path that is not there.
      const settled = Promise.resolve(server.limiter.refused(error, request, reply));
      void settled.then((last) => sendRefusal(last, request, reply));
    },
    clientErrorHandler(this: FastifyInstance, error: Error & { code?: string }, socket: Socket) {
      const headers = { ...this.securityHeaders, ...this.limiter.headersOf(socket.remoteAddress) };
      answerBrokenRequest(error, socket, { ...headers, 'X-Request-Id': nextId() });
    },
  };
}

const BROKEN: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request took too long to arrive'],
};

/** Bytes that are no HTTP request have no route and no reply object: the answer is written to the socket. */
function answerBrokenRequest(error: { code?: string }, socket: Socket, headers: Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = BROKEN[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'this is not a valid HTTP request',
  ];
  const { refusal } = new HttpRefusal(status, 'malformed_request', message);
  const body = JSON.stringify(errorBody('service', refusal));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}Connection: close\r\n\r\n${body}`,
  );
}
