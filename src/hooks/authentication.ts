/** Who asks: `Authorization: Bearer ak_…`, and whether the credential may do what the operation declares. */
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../core/errors.ts';
import type { ApiKeyService, Caller } from '../services/api-keys.ts';
import { authorize } from './authorization.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public operations. */
    caller: Caller | null;
  }
}

const SCHEME = /^Bearer +(\S+)$/i;

export const authentication = fp(
  async (app, { apiKeys }: { apiKeys: Pick<ApiKeyService, 'verify'> }) => {
    app.decorateRequest('caller', null);
    app.addHook('onRequest', async (request, reply) => {
      const declaration = request.routeOptions.config.declaration;
      if (declaration === undefined) throw new Error('a route without a declaration was reached');
      if (declaration.access === 'public') return;
      try {
        request.caller = await apiKeys.verify(presentedKey(request), request.ip);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'unauthorized') {
          const wrong = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
          reply.header('www-authenticate', `Bearer realm="ashlar"${wrong}`);
        }
        throw error;
      }
      authorize(request.caller, declaration);
    });
  },
  { name: 'authentication', dependencies: ['request-id'] },
);

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
