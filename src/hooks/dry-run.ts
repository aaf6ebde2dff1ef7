/** `?dry_run=true` on an operation that takes it makes the request a computation: unsigned, not audited, no answer kept. */
import type { FastifyRequest } from 'fastify';

export function isDryRun(request: FastifyRequest): boolean {
  if (request.declaration?.dryRun !== true) return false;
  return (request.query as { dry_run?: unknown }).dry_run === 'true';
}
