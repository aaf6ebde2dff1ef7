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
    target: request.originalUrl,
    remoteAddress: request.ip,
    contentDigest: shown ? `sha-256=:${hash('sha256', rawBody, 'base64')}:` : null,
    signature: request.signature ?? null,
  };
}
