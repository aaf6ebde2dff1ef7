/** Every answered request counts for its credential (services/usage). Those of nobody known do not. */
import { fastifyPlugin as fp } from 'fastify-plugin';
import type { Usage } from '../services/usage/usage.ts';

export const usage = fp(
  async (app, { count }: Pick<Usage, 'count'>) => {
    app.addHook('onResponse', (request, reply, done) => {
      if (request.caller) count(request.caller, reply.statusCode, reply.elapsedTime);
      done();
    });
  },
  { name: 'usage', dependencies: ['authentication'] },
);
