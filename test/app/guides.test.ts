/** The guides of docs/ as pages of the service: all of them, with links that lead somewhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestAnswer, type TestApp } from '../builders/app.ts';

const FOR_OPERATORS = ['architecture', 'benchmarks', 'operating', 'security', 'upgrading'];
const files = (folder: string, ending: RegExp) =>
  readdirSync(new URL(`../../docs/${folder}`, import.meta.url)).filter((name) => ending.test(name));
const guides = files('', /\.md$/)
  .map((name) => name.slice(0, -3))
  .filter((name) => !FOR_OPERATORS.includes(name));

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const page = async (path: string): Promise<TestAnswer> => {
  const answer = await service.get(path, { apiKey: null });
  expect(answer.status, path).toBe(200);
  return answer;
};
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('/', () => {
  it.each(['GET', 'HEAD'])('leads to the reference: %s', async (method) => {
    const { status, headers } = await service.call(method, '/', undefined, { apiKey: null });
    expect([status, headers.location]).toEqual([302, '/docs']);
  });
});

describe('guides', () => {
  it.each(guides)('/docs/%s is a page that runs nothing', async (name) => {
    const { headers, text } = await page(`/docs/${name}`);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src 'self'/,
    );
    expect(text).toMatch(/<h1 id="[\w-]+">/);
    expect(text).toContain('<meta name="viewport"');
    expect(text).not.toMatch(/<script| style=| on\w+=/);
    expect(guides.filter((other) => text.includes(`docs/${other}.md`))).toEqual([]);
  });

  it('are listed at /docs/guides, with what each is about', async () => {
    const { text } = await page('/docs/guides');
    for (const name of guides) expect(text).toContain(`<a href="/docs/${name}">`);
    expect(text).toContain('Every write request must be signed');
  });

  it('have links that lead somewhere, to the very place', async () => {
    const texts = new Map<string, string>();
    const textOf = async (path: string): Promise<string> => {
      const text = texts.get(path) ?? (await page(path)).text;
      texts.set(path, text);
      return text;
    };
    const lost: string[] = [];
    for (const name of ['guides', ...guides]) {
      for (const target of all(await textOf(`/docs/${name}`), /(?:href|src)="(?!https?:|data:)([^"]*)"/g)) {
        const { pathname, hash } = new URL(target, `http://service/docs/${name}`);
        if (hash !== '' && !(await textOf(pathname)).includes(`id="${hash.slice(1)}"`)) lost.push(`${name}: ${target}`);
        else await textOf(pathname);
      }
    }
    expect(lost).toEqual([]);
    expect([...texts.keys()]).toContain('/docs/taproot/output-tree.svg');
  });

  it.each(guides)('%s names others by their files, which work as links here and in the repository', (name) => {
    const source = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
    expect(all(source, /\]\((\/docs\/[^)]*)\)/g)).toEqual([]);
  });

  it('have a place for every code of errors and every operation', async () => {
    const codes = all((await page('/docs/errors')).text, /<tr id="(\w+)">/g);
    expect(codes).toEqual(expect.arrayContaining(['insufficient_funds', 'internal_error']));
    const operations = all((await page('/docs/operations')).text, /<tr id="([\w.-]+)">/g);
    expect(operations).toEqual(expect.arrayContaining(service.app.operations.map(({ id }) => id)));
  });

  const programs = ['signing', 'browser'].flatMap((folder) => files(folder, /./).map((name) => `${folder}/${name}`));
  it.each(programs)('have the program %s beside them, as text', async (path) => {
    const { headers, text } = await page(`/docs/${path}`);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toBe(readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8'));
  });

  it.each(FOR_OPERATORS)('are for clients: %s stays in the repository', async (name) => {
    for (const path of [`/docs/${name}`, `/docs/${name}.md`]) {
      const { status, body } = await service.get(path, { apiKey: null });
      expect([status, body.error.message]).toEqual([404, expect.stringContaining(`docs/${name}.md in Ashlar's`)]);
    }
  });

  it.each(guides)('lead from the name of the file, %s.md', async (name) => {
    const { status, headers } = await service.get(`/docs/${name}.md`, { apiKey: null });
    expect([status, headers.location]).toEqual([302, `/docs/${name}`]);
  });

  it.each([
    ['/docs/README', 'did you mean /docs/guides?'],
    ['/docs/README.md', 'did you mean /docs/guides?'],
    ['/docs/signing.html', 'did you mean /docs/signing?'],
    ['/health', '/livez'],
    ['/healthz/', '/readyz'],
    ['/ping', '/livez'],
    ['/ready', '/readyz'],
    ['/metrics', 'METRICS_PORT'],
    ['/openapi.yaml', '/openapi.json'],
    ['/swagger.json', '/openapi.json'],
    ['/swagger', '/docs'],
    ['/api-docs', '/docs'],
    ['/api', '/docs'],
    ['/api/v1/', '/docs'],
  ])('and the rest are found from where others have them: %s, %s', async (path, says) => {
    const { status, body } = await service.get(path, { apiKey: null });
    expect([status, body.error.message]).toEqual([404, expect.stringContaining(says)]);
  });
});
