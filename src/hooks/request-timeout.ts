/**
 * Requests that take too long are answered 503 and aborted (abort-signal.ts). One timer looks after all of them, because a timer and an
 * abort controller for each (Fastify's handlerTimeout) cost a fair part of a quick read.
 */
import type { FastifyReply } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { abortRequest } from './abort-signal.ts';
import { addGate } from './entrance.ts';
import { HttpRefusal } from './refusals/errors.ts';

const LOOK_EVERY_MS = 1_000;

export const requestTimeout = fp(
  async (app, { afterMs }: { afterMs: number }) => {
    /** By arrival, and so by due time. */
    const running = new Map<FastifyReply, number>();

    addGate(app, (_, reply) => {
      running.set(reply, performance.now() + afterMs);
    });
    app.addHook('onResponse', (_, reply, done) => {
      running.delete(reply);
      done();
    });

    // Their connections end with their answers: a next request on one would find nobody.
    app.addHook('preClose', (done) => {
      for (const { raw } of running.keys()) raw.shouldKeepAlive = false;
      done();
    });

    const timer = setInterval(
      () => {
        const now = performance.now();
        for (const [reply, due] of running) {
          if (due > now) break;
          running.delete(reply);
          const outlasts = reply.request.declaration?.outlasts;
          if (outlasts !== undefined && reply.raw.headersSent) continue;
          // One that was taken over is a WebSocket; one whose client is gone needs no answer.
          if (!reply.sent && !reply.raw.destroyed) {
            reply.send(tooLong(outlasts));
            abortRequest(reply);
          }
        }
      },
      Math.min(LOOK_EVERY_MS, afterMs / 2),
    ).unref();
    app.addHook('onClose', async () => clearInterval(timer));
  },
  { name: 'time-out' },
);

const tooLong = (
  sentence = 'the request took too long; a modifying one may still take effect: retry with the same Idempotency-Key',
): HttpRefusal => new HttpRefusal(503, 'timed_out', sentence, { headers: { 'retry-after': '5' } });
