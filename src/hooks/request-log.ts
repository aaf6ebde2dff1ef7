/** One log line per request and one observation per operation. */
import { fastifyPlugin as fp } from 'fastify-plugin';

/** Where request counts and durations go. */
export interface RequestMetrics {
  observe(operation: string, status: number, seconds: number): void;
}

export const requestLog = fp(
  async (app, { metrics }: { metrics: RequestMetrics | null }) => {
    app.addHook('onResponse', (request, reply, done) => {
      const operation = request.routeOptions.config?.declaration?.id ?? 'none';
      const ms = Math.round(reply.elapsedTime * 100) / 100;
      metrics?.observe(operation, reply.statusCode, reply.elapsedTime / 1000);
      request.log.info({ operation, status: reply.statusCode, ms }, 'request');
      done();
    });
  },
  { name: 'request-log' },
);
