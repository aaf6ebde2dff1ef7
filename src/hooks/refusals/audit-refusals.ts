/** Which refusals go into the audit log, before they are answered: whoever was not let in, and every change that was not made. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import type { RecordRefusal } from '../../services/audit/record-refusal.ts';
import { CredentialRefused } from '../../services/credentials/credential-refused.ts';
import type { RequestContext } from '../../services/requests/request-context.ts';
import { contextOf } from '../context-of.ts';
import { isDryRun } from '../dry-run.ts';
import { limitedRefusals } from '../limits/limited-refusals.ts';
import { refusalOf, sendRefusal } from './errors.ts';
import type { Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the operation that was begun; null before. */
    operationContext: RequestContext | null;
  }
}

/** The first request with this key is still running; the work goes on; the service ends: none of them is an outcome. */
const NO_OUTCOME: ReadonlySet<Refusal['slug']> = new Set(['idempotency_in_flight', 'timed_out', 'stopping']);

/** 429 is never recorded: whoever sends too much must not fill the log with it. */
function isAudited(request: FastifyRequest, { status, slug }: Refusal): boolean {
  const { declaration } = request;
  if (declaration === null || status === 429 || NO_OUTCOME.has(slug)) return false;
  if (status === 401 || status === 403) return true;
  return declaration.effect === 'write' && request.caller !== null && !isDryRun(request);
}

/** Answers what was thrown; where it is to be recorded, after that. */
function auditedRefusals(record: RecordRefusal | null) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (record === null) return sendRefusal(error, request, reply);
    const { refusal } = refusalOf(error);
    if (!isAudited(request, refusal)) return sendRefusal(error, request, reply);
    return record(refusedContext(request, error), refusal.slug).then(() => sendRefusal(error, request, reply));
  };
}

/**
 * For what is refused beside a request's answer: work that failed after its caller was told that it takes too long, and messages of a
 * socket.
 */
export async function recordUnanswered(record: RecordRefusal, request: FastifyRequest, error: unknown): Promise<void> {
  const { refusal } = refusalOf(error);
  if (isAudited(request, refusal)) await record(refusedContext(request, error), refusal.slug);
}

/** A credential that was recognised and refused (revoked, expired) says whose log it belongs to. */
function refusedContext(request: FastifyRequest, error: unknown): RequestContext {
  const context = request.operationContext ?? contextOf(request, null, null);
  return request.caller === null && error instanceof CredentialRefused ? { ...context, ...error.whose } : context;
}

export const auditRefusals = fp(
  async (app, { record }: { record: RecordRefusal | null }) => {
    app.decorateRequest('operationContext', null);
    // Counted first: what is refused for its number is not recorded.
    app.setErrorHandler(limitedRefusals(app, auditedRefusals(record)));
  },
  { name: 'audit-refusals' },
);
