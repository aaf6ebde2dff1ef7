/** Versions: v1 is served; v0 is v1 under its deprecated name; v2 is a beta without resources so far. */
import type { IncomingMessage } from 'node:http';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { addGate } from './entrance.ts';
import { HttpRefusal } from './refusals/errors.ts';

const V0 = '/api/v0/';
const V1 = '/api/v1/';
export const V2 = '/api/v2/';
/** RFC 9745: when v1 took v0's place. */
const V0_DEPRECATED_AT = Date.UTC(2026, 10, 1) / 1000;
/** RFC 8594: until when the old name is served at least. */
const V0_SUNSET = new Date(Date.UTC(2027, 10, 1)).toUTCString();

/** Fastify's `rewriteUrl`: routes v0 as v1. */
export function rewriteVersion(request: IncomingMessage): string {
  const url = request.url ?? '/';
  return url.startsWith(V0) ? V1 + url.slice(V0.length) : url;
}

/** The version that an Accept header asks for; null where it names none. */
function acceptedVersions(accept: string): string[] {
  return accept
    .split(',')
    .map((range) => /;\s*version\s*=\s*"?([^";,\s]*)"?/i.exec(range)?.[1])
    .filter((version) => version !== undefined);
}

/** Before who asks is known: also a refusal says that its path is deprecated. */
export const deprecation = fp(
  async (app) => {
    addGate(app, (request, reply) => {
      if (request.originalUrl.startsWith(V0)) {
        reply.headers({
          deprecation: `@${V0_DEPRECATED_AT}`,
          sunset: V0_SUNSET,
          link: `<${request.url.split('?')[0]}>; rel="successor-version"`,
        });
      }
    });
  },
  { name: 'deprecation', dependencies: ['request-id'] },
);

/** After that: asking for what is not served counts as asking. */
export const versioning = fp(
  async (app) => {
    addGate(app, ({ headers: { accept } }) => {
      if (accept === undefined || !accept.includes('version')) return;
      const versions = acceptedVersions(accept);
      if (versions.length > 0 && !versions.includes('1')) throw notAcceptable();
    });
  },
  { name: 'versioning', dependencies: ['request-id'] },
);

const notAcceptable = (): HttpRefusal =>
  new HttpRefusal(406, 'not_acceptable', 'the version served is 1: send Accept: application/json; version=1', {
    field: 'headers.accept',
  });
