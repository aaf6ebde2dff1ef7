/** What is not there: 404, or 405 with Allow where the path has other methods. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../core/errors.ts';
import { addGate } from './entrance.ts';
import { KnownPaths } from './known-paths.ts';
import { pathSuggestion } from './path-suggestions.ts';
import { HttpRefusal } from './refusals/errors.ts';
import { V2 } from './versioning.ts';

export const unknownRoutes = fp(
  async (app) => {
    const paths = new KnownPaths();
    app.addHook('onRoute', (route) => {
      paths.add(route.url, [route.method].flat());
    });
    // In onRequest, so that the body of a request that goes nowhere is never parsed.
    addGate(app, (request) => {
      // Preflights that pages may send were answered before (cors.ts).
      if (request.is404 || request.method === 'OPTIONS') throw refusal(request, paths);
      if (endsInSlash(request.url) && methods(request, paths).length === 0) throw refusal(request, paths);
      const problem = request.url.includes('%') ? escapeProblem(request.url) : undefined;
      if (problem !== undefined) throw problem;
    });
    notFoundRoute(app);
  },
  { name: 'unknown-routes', dependencies: ['versioning'] },
);

/** Escapes of a path are checked by the router; those of a query nobody checks: what is wrong there would be read as something else. */
function escapeProblem(url: string): HttpRefusal | undefined {
  if (url.includes('%00')) {
    return new HttpRefusal(400, 'malformed_request', 'the URL has a NUL character (%00)', { field: 'path' });
  }
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  try {
    decodeURIComponent(url.slice(start + 1));
    return undefined;
  } catch {
    const message = 'the query has an escape that is not UTF-8 in percent-encoding (RFC 3986)';
    return new HttpRefusal(400, 'malformed_request', message, { field: 'query' });
  }
}

function notFoundRoute(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw new DomainError('not_found', 'there is no such resource');
  });
}

/** An id that is missing, or one character too many: either way no resource's path. */
const endsInSlash = (url: string): boolean => /^\/[^?]*[^?/]\/(\?|$)/.test(url);

const pathOf = (request: FastifyRequest): string => request.url.split('?')[0] as string;

const methods = (request: FastifyRequest, paths: KnownPaths): string[] => paths.methodsOf(pathOf(request));

function nearest(path: string, paths: KnownPaths): string {
  const meant = paths.closest(path);
  return meant === null ? '/openapi.json lists what there is' : `did you mean ${meant}?`;
}

function refusal(request: FastifyRequest, paths: KnownPaths): Error {
  const path = pathOf(request);
  const allow = methods(request, paths);
  if (allow.length > 0) {
    const part =
      request.method === 'PUT' && allow.includes('PATCH') ? '; PATCH changes the fields that it is given' : '';
    const message = `${request.method} is not a method of this resource: it has ${allow.join(', ')}${part}`;
    return new HttpRefusal(405, 'method_not_allowed', message, {
      field: 'method',
      headers: { allow: allow.join(', ') },
    });
  }
  const hint = pathSuggestion(path) ?? nearest(path, paths);
  const what = path.startsWith(V2) ? 'the beta version v2 has no resources yet' : 'there is no such resource';
  return new DomainError('not_found', `${what}: ${hint}`);
}
