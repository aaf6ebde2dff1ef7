/** Who asks: `Authorization: Bearer ak_…`, and whether the credential may do what the operation declares. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../core/errors.ts';
import type { ApiKeyService } from '../services/credentials/api-keys.ts';
import type { Caller } from '../services/requests/request-context.ts';
import { authorize } from './authorization.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public operations, and where what was presented does not stand. */
    caller: Caller | null;
  }
}

const SCHEME = /^Bearer +(\S+)$/i;

export const authentication = fp(
  async (app, { apiKeys }: { apiKeys: Pick<ApiKeyService, 'verify' | 'verifyCached'> }) => {
    app.decorateRequest('caller', null);
    app.addHook('onRequest', (request, reply, done) => {
      const { declaration } = request.routeOptions.config;
      // Who asks for what is not there is told so whoever it is; that they asked is counted.
      const notThere = request.is404;
      if (declaration === undefined && !notThere) {
        return done(new Error('a route without a declaration was reached'));
      }
      if (declaration?.access === 'public') return done();
      const enter = (caller: Caller): void => {
        // Known before it is refused, so that refusals count against the credential.
        request.caller = caller;
        if (declaration !== undefined) authorize(caller, declaration, request.params as Record<string, unknown>);
      };
      const refuse = (error: unknown): void => {
        if (notThere && error instanceof DomainError) done();
        else done(challenged(error as Error, request, reply));
      };
      try {
        const key = presentedKey(request);
        const known = apiKeys.verifyCached(key, request.ip);
        if (known === null) {
          apiKeys
            .verify(key, request.ip)
            .then(enter)
            .then(() => done(), refuse);
          return;
        }
        enter(known);
      } catch (error) {
        refuse(error);
        return;
      }
      done();
    });
  },
  { name: 'authentication', dependencies: ['request-id'] },
);

/** A 401 says how to authenticate (RFC 6750). */
function challenged(error: Error, request: FastifyRequest, reply: FastifyReply): Error {
  if (error instanceof DomainError && error.code === 'unauthorized') {
    const wrong = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    reply.header('www-authenticate', `Bearer realm="ashlar"${wrong}`);
  }
  return error;
}

function presentedKey(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw new DomainError('unauthorized', 'a credential is missing: send Authorization: Bearer <API key>', {
      field: 'headers.authorization',
    });
  }
  const key = SCHEME.exec(header)?.[1];
  if (key === undefined) {
    throw new DomainError('unauthorized', 'the Authorization header must be: Bearer <API key>', {
      field: 'headers.authorization',
    });
  }
  return key;
}
