/** Tracing: a span for each request. Registered where tracing is on, and first, so that it holds all that a request waits for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import type { RequestSpan, Tracing } from '../tracing/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** undefined where tracing is off. */
    span?: RequestSpan;
  }
}

export const requestSpans = fp(
  async (app, { tracing }: { tracing: Tracing }) => {
    app.addHook('onRequest', (request, reply, done) => {
      const span = tracing.beginRequest(request.headers);
      request.span = span;
      // Also of whom nobody waits for any more, where no answer is ever sent; of a WebSocket, with its handshake.
      reply.raw.once('close', () => end(span, request, reply));
      span.enter(done);
    });
  },
  { name: 'request-spans' },
);

/** The route's template, and nothing of the path itself: it holds addresses and ids. */
function end(span: RequestSpan, request: FastifyRequest, reply: FastifyReply): void {
  const { url: route = '', config } = request.routeOptions;
  const { statusCode } = reply.raw;
  const answered = reply.raw.writableFinished;
  const method = METHODS.has(request.method) ? request.method : '_OTHER';
  const accountId = request.caller?.accountId;
  span.end(
    route === '' ? method : `${method} ${route}`,
    {
      'http.request.method': method,
      ...(route !== '' && { 'http.route': route }),
      ...(answered && { 'http.response.status_code': statusCode }),
      'ashlar.request_id': request.id,
      'ashlar.operation': config?.declaration?.id ?? 'none',
      ...(accountId !== undefined && { 'ashlar.account_id': accountId }),
    },
    answered ? (statusCode >= 500 ? String(statusCode) : null) : 'closed',
  );
}

/** As the semantic conventions want it: what is no method of HTTP is not quoted. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
