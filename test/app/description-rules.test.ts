/** What linters of OpenAPI ask for beyond the schema (Redocly's recommended rules), so that clients' tools read the description without a warning. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
let document: Json;
beforeAll(async () => {
  service = await startTestApp();
  document = (await service.get('/openapi.json', { apiKey: null })).body;
});
afterAll(() => service.close());

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const described = (): [string, Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, entry]): [string, Json] => [`${method} ${path}`, entry]),
  );

it('names a licence, and describes each tag that is used', () => {
  // What package.json calls UNLICENSED.
  expect(document.info.license.name).toBe('Proprietary');
  const used = new Set(described().flatMap(([, { tags }]) => tags));
  expect(document.tags.map(({ name }: Json) => name)).toEqual([...used]);
  for (const { name, description } of document.tags) expect(description, name).toMatch(/^\S.{10,}/);
});

it('says of every operation how it answers when it goes well, and when it does not', () => {
  for (const [operation, { responses }] of described()) {
    const statuses = Object.keys(responses);
    expect(
      statuses.some((status) => /^(2\d\d|default)$/.test(status)),
      `${operation}: 2xx`,
    ).toBe(true);
    expect(
      statuses.some((status) => /^4\d\d$/.test(status)),
      `${operation}: 4xx`,
    ).toBe(true);
  }
});

it('has no components that nothing refers to', () => {
  const text = JSON.stringify(document);
  for (const kind of ['schemas', 'responses', 'parameters', 'headers']) {
    const unused = Object.keys(document.components[kind]).filter(
      (name) => !text.includes(`"#/components/${kind}/${name}"`),
    );
    expect(unused, kind).toEqual([]);
  }
});

it('has no two paths that one request could mean', () => {
  const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
  expect(new Set(shapes).size).toBe(shapes.length);
});

it('links guides that are served', async () => {
  const links = new Set([...JSON.stringify(document).matchAll(/\]\((\/[\w/.#-]*)\)/g)].map(([, link = '']) => link));
  expect([...links]).toEqual(expect.arrayContaining(['/docs/guides', '/docs/signing', '/docs/errors']));
  for (const link of links) expect((await service.get(link, { apiKey: null })).status, link).toBe(200);
});
