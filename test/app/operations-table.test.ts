/** The documents that are made from the declarations: `npm run docs` writes them, and these tests fail where they are stale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { operationsTable } from './operations-table.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

describe('docs/operations.md', () => {
  it('is what the declarations say now (npm run docs writes it)', async () => {
    await expect(operationsTable(service.app.operations)).toMatchFileSnapshot('../../docs/operations.md');
  });

  it('has a row for every operation', () => {
    const rows = operationsTable(service.app.operations).split('\n');
    for (const { id, method, path } of service.app.operations) {
      expect(rows.filter((row) => row.startsWith(`| \`${id}\` | ${method} \`${path}\` |`))).toHaveLength(1);
    }
  });
});

describe.each(['openapi', 'asyncapi'])('docs/%s.yaml', (name) => {
  it('is what the service serves now (npm run docs writes it)', async () => {
    const { body } = await service.get(`/${name}.json`, { apiKey: null });
    await expect(asYaml(body, name)).toMatchFileSnapshot(`../../docs/${name}.yaml`);
  });
});

function asYaml(document: object, name: string): string {
  const head = `# What the service serves at /${name}.json. Made from the declarations by \`npm run docs\`: change those, not this.\n`;
  return head + stringify(document, { aliasDuplicateObjects: false, blockQuote: 'literal', lineWidth: 0 });
}
