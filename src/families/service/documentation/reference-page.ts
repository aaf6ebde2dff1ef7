/** `/docs`: the API reference page. Everything it loads comes from here, so that it works without the internet. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { PublicDocument } from '../../../hooks/documents/public-document.ts';
import { sendDocument } from '../../../hooks/documents/send-document.ts';
import type { RouteDeclaration } from '../../../hooks/register-operations.ts';
import { type MakePages, pagesOf } from './pages.ts';

const declaration: RouteDeclaration = {
  id: 'reference-page.get',
  family: 'service',
  effect: 'read',
  access: 'public',
  limitClass: 'none',
};

export async function referencePage(app: FastifyInstance, { makePages }: { makePages: MakePages }): Promise<void> {
  const made = pagesOf('reference', makePages);
  const page = new PublicDocument('text/html; charset=utf-8', () => made('page'));
  const script = new PublicDocument('application/javascript; charset=utf-8', () => made('script'), {
    // 4 MB, which change with the package only.
    'cache-control': 'public, max-age=86400',
  });
  let policy: string | null = null;
  for (const url of ['/docs', '/docs/']) {
    app.get(url, { config: { declaration } }, async (request, reply) => {
      policy ??= pagePolicy(Buffer.from((await page.in('identity')).bytes).toString('utf8'));
      return sendDocument(page, request, reply.header('content-security-policy', policy));
    });
  }
  app.get('/docs/js/scalar.js', { config: { declaration } }, async (request, reply) =>
    sendDocument(script, request, reply),
  );
  app.get('/', { config: { declaration: { ...declaration, id: 'root.get' } } }, async (_, reply) =>
    reply.redirect('/docs', 302),
  );
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
