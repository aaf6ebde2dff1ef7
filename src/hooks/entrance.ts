/**
 * What a request passes before its body is read, in one hook of Fastify's: its hooks are called one within the other, and each would look
 * the route's declaration up again, which takes longer than most of them do.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteDeclaration } from './register-operations.ts';

/** Lets the request pass, or throws what it is answered with. */
type Gate = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Those of the last hook; null where the next gate begins another. */
    gates: { open: Gate[] | null };
  }
  interface FastifyRequest {
    /** Of the route; null where there is no such route, and before the first gate. */
    declaration: RouteDeclaration | null;
  }
}

/** Adds a gate behind those that were added before. */
export function addGate(app: FastifyInstance, gate: Gate): void {
  if (!app.hasDecorator('gates')) {
    app.decorate('gates', { open: null });
    app.decorateRequest('declaration', null);
  }
  if (app.gates.open !== null) {
    app.gates.open.push(gate);
    return;
  }
  const gates = [gate];
  app.gates.open = gates;
  app.addHook('onRequest', (request, reply, done) => {
    request.declaration = request.routeOptions.config?.declaration ?? null;
    passAll(gates, 0, request, reply, done);
  });
}

/** What is added from now on comes behind hooks that are added by other means. */
export function endGates(app: FastifyInstance): void {
  app.gates.open = null;
}

function passAll(
  gates: readonly Gate[],
  from: number,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  try {
    for (let at = from; at < gates.length; at++) {
      const passing = (gates[at] as Gate)(request, reply);
      if (!(passing instanceof Promise)) continue;
      passing.then(() => {
        // Given up meanwhile, and answered.
        if (!reply.sent) passAll(gates, at + 1, request, reply, done);
      }, done);
      return;
    }
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
