/** What a worker thread makes of the documentation: loading what renders it holds a thread for a quarter of a second. */
import { readFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { DOCS, guideFiles } from './guide-files.ts';
import type { PageGroup, Pages } from './pages.ts';

export const makePages = ({ group }: { readonly group: PageGroup }): Promise<Pages> => MAKERS[group]();

/** Their declarations say more than their table. */
const OPERATIONS = 'operations';

const MAKERS: Readonly<Record<PageGroup, () => Promise<Pages>>> = { guides, reference, sections };

async function guides(): Promise<Pages> {
  const [{ renderGuide }, { guidePage, guidesPage }] = await Promise.all([
    import('./render-guide.ts'),
    import('./guide-page.ts'),
  ]);
  const { guides: names, others } = guideFiles();
  const served = new Set([...names.map((name) => `${name}.md`), ...others]);
  const rendered = await Promise.all(
    names.map(async (name) => renderGuide(name, await readFile(new URL(`${name}.md`, DOCS), 'utf8'), served)),
  );
  const utf8 = new TextEncoder();
  const pages = rendered.map((guide) => [guide.name, utf8.encode(guidePage(guide))] as const);
  return { guides: utf8.encode(guidesPage(rendered)), ...Object.fromEntries(pages) };
}

async function sections(): Promise<Pages> {
  const { sectionsOf } = await import('./sections.ts');
  const names = guidesThereAre().filter((name) => name !== OPERATIONS);
  const all = await Promise.all(
    names.map(async (name) => sectionsOf(name, await readFile(new URL(`${name}.md`, DOCS), 'utf8'))),
  );
  return { sections: new TextEncoder().encode(JSON.stringify(all.flat())) };
}

/** None without the folder, of which the start has told. */
function guidesThereAre(): string[] {
  try {
    return guideFiles().guides;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

async function reference(): Promise<Pages> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      cdn: '/docs/js/scalar.js',
      pageTitle: 'Ashlar API reference',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // Requests of its own making are not signed: the description has samples that are.
      hiddenClients: true,
      hideTestRequestButton: true,
      agent: { disabled: true },
      // Both hand the description to the package's maker.
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      favicon: 'data:,',
    },
  });
  const [page, script] = await Promise.all([app.inject('/docs/'), app.inject('/docs/js/scalar.js')]);
  await app.close();
  return { page: new Uint8Array(page.rawPayload), script: new Uint8Array(script.rawPayload) };
}
