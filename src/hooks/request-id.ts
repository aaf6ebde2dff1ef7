/** Every answer carries X-Request-Id: the caller's, where it sent a sane one, or one of ours. */
import type { IncomingMessage } from 'node:http';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { newId } from '../core/ids.ts';

const SANE = /^[0-9A-Za-z_.:-]{8,128}$/;

export function requestIdOf(randomBytes: (size: number) => Uint8Array): (request: IncomingMessage) => string {
  return (request) => {
    const sent = request.headers['x-request-id'];
    return typeof sent === 'string' && SANE.test(sent) ? sent : newId('req', randomBytes);
  };
}

export const requestId = fp(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id);
    });
  },
  { name: 'request-id' },
);
