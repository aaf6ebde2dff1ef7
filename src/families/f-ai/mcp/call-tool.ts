/** A tool's call is a request of its caller, which passes the whole hook layer: their rights, limits and audit log. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { abortSignalOf, givenUpWith } from '../../../hooks/abort-signal.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { asData, type ToolAnswer } from './tool-answer.ts';
import { toolRequest } from './tool-request.ts';

const LASTS_MS = 10_000;

export async function callTool(
  operation: AnyOperation,
  given: Record<string, unknown>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<ToolAnswer> {
  const { method, url, body } = toolRequest(operation, given, operation.effect === 'write');
  const { authorization = '', host = '' } = request.headers;
  const late = AbortSignal.timeout(LASTS_MS);
  const { promise: tooLong, resolve } = Promise.withResolvers<null>();
  late.addEventListener('abort', () => resolve(null), { once: true });
  const answered = givenUpWith(AbortSignal.any([late, abortSignalOf(reply)]), async () =>
    request.server.inject({
      ...{ method, url, remoteAddress: request.ip },
      headers: { authorization, host, accept: 'application/json', 'x-request-id': request.id },
      ...(body !== undefined && { payload: body as object }),
    }),
  );
  const answer = await Promise.race([answered, tooLong]);
  return answer === null ? asData(TOO_LONG, true) : asData(answer.payload, answer.statusCode >= 400);
}

const TOO_LONG = JSON.stringify({ error: { message: `it took longer than ${LASTS_MS / 1_000} s, and was given up` } });
