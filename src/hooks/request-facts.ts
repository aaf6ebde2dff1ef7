/** What the audit log tells of a request, gathered from what came over the wire. */
import type { FastifyRequest } from 'fastify';
import { contentDigest } from '../core/request-signatures/content-digest.ts';
import type { RequestFacts, RequestSignature } from '../services/requests/request-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where a signature was required or sent, and holds. */
    signature: RequestSignature | null;
  }
}

const digests = new WeakMap<FastifyRequest, string>();

/** The Content-Digest of the body that came: megabytes are gone through once. */
export function digestOf(request: FastifyRequest): string {
  const known = digests.get(request) ?? contentDigest(request.rawBody ?? Buffer.alloc(0));
  digests.set(request, known);
  return known;
}

export function factsOf(request: FastifyRequest): RequestFacts {
  const { declaration } = request;
  const { rawBody } = request;
  const shown = rawBody !== null && declaration?.effect === 'write' && declaration.secretBody !== true;
  return {
    operation: declaration?.id ?? '',
    method: request.method,
    target: shownTarget(request),
    remoteAddress: request.ip,
    contentDigest: shown ? digestOf(request) : null,
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
