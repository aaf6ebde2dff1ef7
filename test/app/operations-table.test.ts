/** The documents that are made from the declarations: `npm run docs` writes them, and these tests fail where they are stale. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Document, isMap, isPair, isScalar, visit } from 'yaml';
import { ROLES, SCOPE_NOUNS, scopeProblem } from '../../src/core/access.ts';
import { leastRole } from '../../src/core/scope-roles.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { errorsPage } from './errors-page.ts';
import { operationsTable } from './operations-table.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

describe('scopes', () => {
  it('are of the nouns that credentials may be given', () => {
    const asked = service.app.operations.flatMap(({ access }) => (access === 'public' ? [] : [access.scope]));
    expect(new Set(asked.map((scope) => scope.split(':')[0]))).toEqual(new Set(Object.keys(SCOPE_NOUNS)));
    expect(asked.map(scopeProblem).filter((problem) => problem !== null)).toEqual([]);
  });

  it('open something from the least role on that their operations ask for', () => {
    const asked = service.app.operations.flatMap(({ access }) => (access === 'public' ? [] : [access]));
    for (const [noun, { write }] of Object.entries(SCOPE_NOUNS)) {
      const rolesOf = (verb: string) =>
        ROLES.filter((role) => asked.some((one) => one.scope === `${noun}:${verb}` && one.role === role));
      const [[reads = null], [writes = null]] = [rolesOf('read'), rolesOf('write')];
      expect([noun, write === null]).toEqual([noun, writes === null]);
      expect([noun, leastRole(`${noun}:write`)]).toEqual([noun, writes ?? reads]);
      if (reads !== null) expect([noun, leastRole(`${noun}:read`)]).toEqual([noun, reads]);
    }
  });

  it.each([
    ['wallet:read', 'wallets:read'],
    ['transation:write', 'transactions:write'],
    ['api-key:read', 'api-keys:read'],
    ['wallets:reed', 'wallets:read'],
    ['Wallets:Read', 'wallets:read'],
    ['read:wallets', 'wallets:read'],
    ['signing_keys:wirte', 'signing-keys:write'],
    ['signing:read', 'signing-keys:read'],
  ])('%s is not a scope, and %s is named', (given, meant) => {
    expect(scopeProblem(given)).toBe(`${given} is not a scope: did you mean ${meant}?`);
  });

  it('in one text are separated', () => {
    for (const given of ['wallets:read,fees:read', 'wallets:read fees:read', 'wallets:read, fees:read'])
      expect(scopeProblem(given)).toContain('member of the list, ["wallets:read","fees:read"]');
  });

  it('that are not scopes get the expected form', () => {
    for (const given of ['wallets', 'a:b:c', '', `${'x'.repeat(1_000_000)}:read`, ','.repeat(100_000)])
      expect(scopeProblem(given)).toContain('must look like wallets:read');
  });

  it('that resemble none get the list of all', () => expect(scopeProblem('qqq:read')).toContain('wallets'));
});

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

it('docs/errors.md is what the tables say now (npm run docs writes it)', async () => {
  await expect(errorsPage()).toMatchFileSnapshot('../../docs/errors.md');
});

describe.each(['openapi', 'asyncapi'])('docs/%s.yaml', (name) => {
  it('is what the service serves now (npm run docs writes it)', async () => {
    const { body } = await service.get(`/${name}.json`, { apiKey: null });
    await expect(asYaml(body, name)).toMatchFileSnapshot(`../../docs/${name}.yaml`);
  });
});

function asYaml(content: object, name: string): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  // What fits on a line stands on one, and what holds nothing but values or references does.
  const plain = (value: unknown) =>
    (isScalar(value) && !String(value.value).includes('\n')) ||
    (isMap(value) && value.items.length === 1 && value.has('$ref'));
  visit(document, {
    Collection: (_, node) => {
      const values = node.items.map((item) => (isPair(item) ? item.value : item));
      node.flow = JSON.stringify(node).length <= 150 || values.every(plain);
    },
  });
  const head = `# What the service serves at /${name}.json. Made from the declarations by \`npm run docs\`: change those, not this.\n`;
  return head + document.toString({ blockQuote: 'literal', lineWidth: 0 });
}
