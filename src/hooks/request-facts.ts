/** What the audit log tells of a request, gathered from what came over the wire. */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { RequestFacts, RequestSignature } from '../services/requests/request-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where a signature was required or sent, and holds. */
    signature: RequestSignature | null;
  }
}

export function factsOf(request: FastifyRequest): RequestFacts {
  const { declaration } = request.routeOptions.config;
  const { rawBody } = request;
  const shown = rawBody !== null && declaration?.effect === 'write' && declaration.secretBody !== true;
  return {
    operation: declaration?.id ?? '',
    method: request.method,
    target: shownTarget(request),
    remoteAddress: request.ip,
    contentDigest: shown ? `sha-256=:${hash('sha256', rawBody, 'base64')}:` : null,
    signature: request.signature ?? null,
  };
}

/**
 * Path and query as they were signed. Of who is not known the path alone: a query may hold what lets somebody in (single sign-on's code, a
 * key that was put there by mistake), and what is in the log stays there.
 */
function shownTarget({ originalUrl, caller, signature }: FastifyRequest): string {
  const query = caller === null && signature === null ? originalUrl.indexOf('?') : -1;
  return query === -1 ? originalUrl : originalUrl.slice(0, query);
}
