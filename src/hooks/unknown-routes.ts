/** What is not there: 404, or 405 with Allow where the path has other methods. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../core/errors.ts';
import { likely } from './input/likely.ts';
import { HttpRefusal } from './refusals/errors.ts';
import { V2 } from './versioning.ts';

interface KnownPath {
  segments: string[];
  methods: Set<string>;
}

/** Paths by their patterns, for telling a wrong method from a wrong path. Only refusals look here. */
export class KnownPaths {
  readonly #byPattern = new Map<string, KnownPath>();

  add(pattern: string, methods: readonly string[]): void {
    const known = this.#byPattern.get(pattern) ?? { segments: pattern.split('/'), methods: new Set() };
    for (const method of methods) known.methods.add(method);
    this.#byPattern.set(pattern, known);
  }

  /** The known path that was probably meant, with what was asked for in the place of its parameters; null where none is near. */
  likely(path: string): string | null {
    const asked = path.split('/');
    for (const { segments } of this.#byPattern.values()) {
      if (segments.length !== asked.length) continue;
      const meant = segments.map((segment, i) =>
        isParameter(segment) ? asked[i] : likely(asked[i] as string, [segment]),
      );
      if (meant.every((segment) => segment !== null)) return meant.join('/');
    }
    return null;
  }

  /** The methods that a path has, sorted; empty where the path is unknown. */
  methodsOf(path: string): string[] {
    const asked = path.split('/');
    const methods = new Set<string>();
    for (const { segments, methods: known } of this.#byPattern.values()) {
      if (segments.length !== asked.length) continue;
      if (segments.every((segment, i) => (isParameter(segment) ? asked[i] !== '' : segment === asked[i]))) {
        for (const method of known) methods.add(method);
      }
    }
    return [...methods].sort();
  }
}

const isParameter = (segment: string): boolean => segment.startsWith(':');

export const unknownRoutes = fp(
  async (app) => {
    const paths = new KnownPaths();
    app.addHook('onRoute', (route) => {
      paths.add(route.url, [route.method].flat());
    });
    // In onRequest, so that the body of a request that goes nowhere is never parsed.
    app.addHook('onRequest', (request, _, done) => {
      // Preflights that pages may send were answered before (cors.ts).
      if (request.is404 || request.method === 'OPTIONS') done(refusal(request, paths));
      else if (endsInSlash(request.url) && methods(request, paths).length === 0) done(refusal(request, paths));
      else if (request.url.includes('%')) done(escapeProblem(request.url));
      else done();
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

function refusal(request: FastifyRequest, paths: KnownPaths): Error {
  const path = pathOf(request);
  const allow = methods(request, paths).join(', ');
  if (allow !== '') {
    const message = `${request.method} is not a method of this resource: it has ${allow}`;
    return new HttpRefusal(405, 'method_not_allowed', message, { field: 'method', headers: { allow } });
  }
  if (path.startsWith(V2)) {
    return new DomainError('not_found', 'the beta version v2 has no such resource: it is served under /api/v1');
  }
  const whole = endsInSlash(path) ? path.slice(0, -1) : path;
  const meant = paths.likely(whole) ?? paths.likely(`/api${whole}`) ?? paths.likely(`/api/v1${whole}`);
  const hint = meant === null ? '/openapi.json lists what there is' : `did you mean ${meant}?`;
  return new DomainError('not_found', `there is no such resource: ${hint}`);
}
