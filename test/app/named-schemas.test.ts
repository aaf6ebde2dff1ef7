/** What makers of clients need of /openapi.json: a name for every body, each thing said once, and no complaint of a linter. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { generate } from 'openapi-typescript-codegen';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { responseOf } from '../builders/described-answers.ts';

let service: TestApp;
let document: Json;
beforeAll(async () => {
  service = await startTestApp();
  document = (await service.get('/openapi.json', { apiKey: null })).body;
});
afterAll(() => service.close());

const JSON_TYPE = 'application/json';

it('names the schema of every body and every answer in JSON', () => {
  for (const { id, method, path, success } of service.app.operations) {
    const { requestBody, responses } = document.paths[path][method.toLowerCase()];
    const bodies = [requestBody, ...Object.values<Json>(responses).map((one) => responseOf(document, one))];
    const schemas = bodies.map((body) => body?.content?.[JSON_TYPE]?.schema).filter((schema) => schema !== undefined);
    expect(schemas.length, id).toBeGreaterThan(1);
    const isFile = success.contentType === JSON_TYPE || success.otherContentTypes?.includes(JSON_TYPE);
    const named = isFile ? schemas.slice(1) : schemas;
    for (const { $ref } of named) expect($ref, id).toMatch(/^#\/components\/schemas\/[A-Z]\w+$/);
  }
});

it('says what an object holds once, where it has more than four fields', () => {
  const seen = new Map<string, string>();
  const walk = (value: Json, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties = {} } = value;
    const text = JSON.stringify(properties);
    if (Object.keys(properties).length > 4) {
      expect(seen.get(text), where).toBeUndefined();
      seen.set(text, where);
    }
    for (const [keyword, inner] of Object.entries(value))
      if (keyword !== 'examples') walk(inner, `${where}.${keyword}`);
  };
  walk(document.components.schemas, 'schemas');
  expect(seen.size).toBeGreaterThan(90);
});

it('takes at most 52 lines an operation as docs/openapi.yaml', () => {
  const lines = readFileSync('docs/openapi.yaml', 'utf8').split('\n').length;
  expect(lines / service.app.operations.length).toBeLessThan(52);
});

it('passes the recommended rules of Redocly without a warning', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('makes a generator write the types Wallet and Transaction, and others for all names', async () => {
  const output = mkdtempSync(join(tmpdir(), 'ashlar-client-'));
  try {
    await generate({ input: structuredClone(document), output, exportCore: false, exportServices: false });
    const made = (name: string) => readFileSync(join(output, 'models', `${name}.ts`), 'utf8');
    expect(made('Wallet')).toMatch(/export type Wallet = \{\s+wallet_id: string;/);
    expect(made('Transaction')).toMatch(/amount: Amount;/);
    expect(made('CreatedWallet')).toMatch(/export type CreatedWallet = \(Wallet & \{/);
    const names = readdirSync(join(output, 'models')).map((file) => file.replace('.ts', ''));
    expect(names).toEqual(expect.arrayContaining(Object.keys(document.components.schemas)));
    // Files that differ in case alone are one file for some compilers.
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    // An enum within a namespace is called by its field: a reserved word does not compile.
    for (const name of names) expect(made(name)).not.toMatch(/export enum (for|in|new|class|default|delete|function) /);
    expect(made('CreatedTransaction')).toMatch(/export type CreatedTransaction = \(Transaction & \{/);
    expect(made('ErrorDetails')).toContain('code: ErrorCode;');
  } finally {
    rmSync(output, { recursive: true });
  }
});
