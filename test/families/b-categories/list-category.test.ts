import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe.each(['bitcoin', 'taproot'])('GET /api/v1/%s', (category) => {
  it('lists every resource that has operations, and no other', async () => {
    const { status, body, text } = await app.get(`/api/v1/${category}`);
    expect(status, text).toBe(200);
    const base = `/api/v1/${category}/`;
    const paths = app.app.operations.map(({ path }) => path).filter((path) => path.startsWith(base));
    const first = paths.map((path) => path.slice(base.length).split('/')[0]);
    expect(body.data.map(({ name }: Json) => name).toSorted()).toEqual([...new Set(first)].toSorted());
    for (const { name, path, description, methods } of body.data) {
      const taken = app.app.operations.filter((one) => one.path === path).map(({ method }) => method);
      expect(methods, name).toEqual(taken.toSorted());
      expect(path).toBe(base + name);
      expect(description).not.toBe('');
    }
    expect(body.pagination).toEqual({
      ...{ total: body.data.length, limit: 100, offset: 0, has_more: false, next_cursor: null },
    });
  });

  it('takes pages', async () => {
    const all = (await app.get(`/api/v1/${category}`)).body.data;
    const page = (await app.get(`/api/v1/${category}?limit=2&offset=1`)).body;
    expect(page.data).toEqual(all.slice(1, 3));
    expect(page.pagination).toMatchObject({ limit: 2, offset: 1, has_more: all.length > 3 });
    expect((await app.get(`/api/v1/${category}?limit=0`)).body.error.details.field).toBe('query.limit');
  });
});
