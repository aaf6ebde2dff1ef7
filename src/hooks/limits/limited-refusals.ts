/** What is refused is counted first, and may be refused for its number instead (rate-limit.ts). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

/** The error handler that counts, then answers by `answer` what is to be answered after that. */
export function limitedRefusals(app: FastifyInstance, answer: Answer): Answer {
  return (error, request, reply) => {
    const settled = app.limiter.refused(error, request, reply);
    if (settled instanceof Promise) return settled.then((last) => answer(last, request, reply));
    return answer(settled, request, reply);
  };
}
