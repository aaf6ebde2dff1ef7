/** Pages of other origins may call where CORS_ORIGINS names them (Fetch standard); to any other origin nothing is said. */
import fastifyCors from '@fastify/cors';
import { fastifyPlugin as fp } from 'fastify-plugin';
import type { RouteDeclaration } from './register-operations.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers that no hook passes: with them the page that asked may read the answer. Absent: no page may call. */
    corsHeaders?: (origin: string | undefined) => Record<string, string>;
  }
}

/** The route that @fastify/cors adds so that preflights reach its hook. */
const PREFLIGHT: RouteDeclaration = {
  id: 'cors.preflight',
  family: 'service',
  effect: 'read',
  access: 'public',
  limitClass: 'none',
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ALLOWED_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Content-Digest',
  'Idempotency-Key',
  'If-Match',
  'Signature',
  'Signature-Input',
  'X-Request-Id',
];
const EXPOSED_HEADERS = [
  'Accept-Signature',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Limit-Tokens',
  'X-RateLimit-Remaining',
  'X-RateLimit-Remaining-Tokens',
  'X-RateLimit-Reset',
  'X-RateLimit-Reset-Tokens',
  'X-Request-Id',
];
const MAX_AGE_SECONDS = 600;

export const cors = fp(
  async (app, { origins }: { origins: readonly string[] }) => {
    const allowed = new Set(origins);
    app.decorate(
      'corsHeaders',
      (origin: string | undefined): Record<string, string> =>
        origin !== undefined && allowed.has(origin)
          ? {
              vary: 'Origin',
              'access-control-allow-origin': origin,
              'access-control-expose-headers': EXPOSED_HEADERS.join(', '),
            }
          : {},
    );
    app.addHook('onRoute', (route) => {
      if (route.method === 'OPTIONS') route.config = { ...route.config, declaration: PREFLIGHT };
    });
    // A preflight is answered before any other hook.
    app.addHook('onRequest', (request, reply, done) => {
      if (request.method === 'OPTIONS') reply.headers(app.limiter.headersOf(request.ip));
      done();
    });
    await app.register(fastifyCors, {
      origin: (origin, answer) => answer(null, origin !== undefined && allowed.has(origin) ? origin : false),
      methods: METHODS,
      allowedHeaders: ALLOWED_HEADERS,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: MAX_AGE_SECONDS,
      strictPreflight: false,
    });
  },
  { name: 'cors', dependencies: ['request-id'] },
);
