/** `/docs/guides`, `/docs/signing`, …: the guides that are files of docs/, and what lies beside them. */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../core/errors.ts';
import { PublicDocument } from '../../../hooks/documents/public-document.ts';
import { sendDocument } from '../../../hooks/documents/send-document.ts';
import type { RouteDeclaration } from '../../../hooks/register-operations.ts';
import { DOCS, type GuideFiles, guideFiles, NOT_FOR_CLIENTS } from './guide-files.ts';
import { GUIDE_POLICY } from './guide-page.ts';
import { type MakePages, pagesOf } from './pages.ts';

const declaration: RouteDeclaration = {
  id: 'guide-page.get',
  family: 'service',
  effect: 'read',
  access: 'public',
  limitClass: 'none',
};

const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export async function guidePages(app: FastifyInstance, { makePages }: { makePages: MakePages }): Promise<void> {
  const files = filesOr((problem) => app.log.warn(problem, 'no guides are served: there is no folder docs'));
  const made = pagesOf('guides', makePages);
  const serve = (path: string, document: PublicDocument): void => {
    app.get(`/docs/${path}`, { config: { declaration } }, async (request, reply) =>
      sendDocument(document, request, reply),
    );
  };
  notServed(app);
  if (files === null) return;
  for (const name of ['guides', ...files.guides]) {
    serve(
      name,
      new PublicDocument('text/html; charset=utf-8', () => made(name), { 'content-security-policy': GUIDE_POLICY }),
    );
  }
  for (const path of files.others) serve(path, fileAsItIs(path));
  // By the name that the file has in the repository.
  for (const name of files.guides) {
    app.get(`/docs/${name}.md`, { config: { declaration } }, async (_, reply) => reply.redirect(`/docs/${name}`, 302));
  }
}

function notServed(app: FastifyInstance): void {
  for (const name of NOT_FOR_CLIENTS) {
    for (const path of [`/docs/${name}`, `/docs/${name}.md`]) {
      app.get(path, { config: { declaration } }, async () => {
        const where = `docs/${name}.md in Ashlar's repository`;
        throw new DomainError('not_found', `this guide is for whoever runs or changes the service: it is ${where}`);
      });
    }
  }
}

function filesOr(tell: (problem: { path: string }) => void): GuideFiles | null {
  try {
    return guideFiles();
  } catch (error) {
    const { code, path = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw error;
    tell({ path });
    return null;
  }
}

function fileAsItIs(path: string): PublicDocument {
  const load = () => readFile(new URL(path, DOCS));
  return path.endsWith('.svg')
    ? new PublicDocument('image/svg+xml', load, { 'content-security-policy': PICTURE_POLICY })
    : new PublicDocument('text/plain; charset=utf-8', load);
}
