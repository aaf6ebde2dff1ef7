/** Every answer carries X-Request-Id: the caller's, where it sent a sane one, or one of ours. */
import type { IncomingMessage } from 'node:http';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { base62 } from '../core/ids.ts';
import { addGate } from './entrance.ts';

const SANE = /^[0-9A-Za-z_.:-]{8,128}$/;

/** Ids that no other process and no other request has: 83 random bits of this process, and a count. */
export function createRequestIds(randomBytes: (size: number) => Uint8Array): () => string {
  const ours = base62(randomBytes(32), 14);
  let count = 0;
  return () => `req_${ours}${(count++).toString(36).padStart(8, '0')}`;
}

export function requestIdOf(nextId: () => string): (request: IncomingMessage) => string {
  return (request) => {
    const sent = request.headers['x-request-id'];
    return typeof sent === 'string' && SANE.test(sent) ? sent : nextId();
  };
}

export const requestId = fp(
  async (app) => {
    addGate(app, (request, reply) => {
      reply.header('x-request-id', request.id);
    });
  },
  { name: 'request-id' },
);
