/** One log line per request and one observation per operation. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    requestMetrics: RequestMetrics | null;
  }
}

/** Where request counts and durations go. */
export interface RequestMetrics {
  observe(operation: string, status: number, seconds: number): void;
  /** A refusal, by its `details.code` and by the class of the limit it counts in (`address` where no credential is known). */
  refused(status: number, reason: string, limitClass: string): void;
}

export const requestLog = fp(
  async (app, { metrics }: { metrics: RequestMetrics | null }) => {
    app.decorate('requestMetrics', metrics);
    app.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
      const operation = request.declaration?.id ?? 'none';
      const { elapsedTime, statusCode } = reply;
      metrics?.observe(operation, statusCode, elapsedTime / 1000);
      const ms = Math.round(elapsedTime * 100) / 100;
      const traced = request.span === undefined ? null : { trace_id: request.span.traceId };
      app.log.info({ request_id: request.id, ...traced, operation, status: statusCode, ms }, 'request');
      done();
    });
  },
  { name: 'request-log' },
);
