/** `/docs`: the API reference page. Everything it loads comes from here, so that it works without the internet. */
import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { RouteDeclaration } from '../../hooks/register-operations.ts';

const PREFIX = '/docs';
const PATHS = [PREFIX, `${PREFIX}/`, `${PREFIX}/js/scalar.js`] as const;

const declaration: RouteDeclaration = {
  id: 'reference-page.get',
  family: 'service',
  effect: 'read',
  access: 'public',
  limitClass: 'none',
  idempotent: false,
};

export async function referencePage(app: FastifyInstance): Promise<void> {
  const page = lazily(loadPage);
  app.addHook('onClose', async () => {
    await (await page.ifLoaded())?.close();
  });
  for (const url of PATHS) {
    app.get(url, { config: { declaration } }, async (request, reply) => serve(await page.get(), request, reply));
  }
}

async function serve(page: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { statusCode, headers, rawPayload } = await page.inject({ method: 'GET', url: request.url });
  reply.status(statusCode);
  for (const name of ['content-type', 'location'] as const) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value);
  }
  const isPage = String(headers['content-type']).startsWith('text/html');
  if (isPage) reply.header('content-security-policy', pagePolicy(rawPayload.toString('utf8')));
  // The script is 4 MB and changes with the package only.
  else if (statusCode === 200) reply.header('cache-control', 'public, max-age=86400');
  return reply.send(rawPayload);
}

/** The page's inline scripts by their hashes, styles (it makes them as it runs), and nothing from elsewhere. */
function pagePolicy(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => script,
  );
  const hashes = inline.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The page's package holds 40 MB when loaded and most processes never show it: it is loaded when first asked for. */
async function loadPage(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(reference, {
    routePrefix: PREFIX,
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Ashlar API reference',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      // Both hand the description to the package's maker.
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      favicon: 'data:,',
    },
  });
  await page.ready();
  return page;
}

function lazily<T>(load: () => Promise<T>): { get: () => Promise<T>; ifLoaded: () => Promise<T | null> } {
  let loading: Promise<T> | null = null;
  return {
    get() {
      loading ??= load().catch((error: unknown) => {
        loading = null;
        throw error;
      });
      return loading;
    },
    ifLoaded: async () => loading,
  };
}
