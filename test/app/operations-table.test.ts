import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
