/** What everybody may read is sent compressed, and not again to whoever has it. Nothing else is. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.app.http.inject({ method, url, headers: { host: service.host, ...headers } });
const DECODED = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each([
  '/openapi.json',
  '/asyncapi.json',
  '/docs',
  '/docs/js/scalar.js',
  '/docs/signing',
  '/docs/guides',
])('%s', (url) => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5, br;q=0.1', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
  ] as const)('is compressed for who takes %s: by %s', async (accepted, coding) => {
    const plain = await ask(url);
    const answer = await ask(url, { 'accept-encoding': accepted });
    expect(answer.headers).toMatchObject({
      'content-encoding': coding,
      vary: expect.stringMatching(/accept-encoding/i),
    });
    expect(answer.headers['content-length']).toBe(`${answer.rawPayload.length}`);
    expect(DECODED[coding](answer.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
    expect(answer.headers.etag).not.toBe(plain.headers.etag);
  });

  it.each([
    '',
    'identity',
    'deflate',
    'br;q=0',
    'identity;q=1, br;q=0.5',
    '*;q=0',
  ])('is sent as it is for "%s"', async (accepted) => {
    const answer = await ask(url, { 'accept-encoding': accepted });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.vary).toMatch(/accept-encoding/i);
  });

  it('is not sent again to whoever has it', async () => {
    const first = await ask(url, { 'accept-encoding': 'br' });
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(url, { 'accept-encoding': 'br', 'if-none-match': known });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      expect(again.headers['content-encoding']).toBeUndefined();
      expect(again.headers.vary).toBe(first.headers.vary);
      expect(again.headers['cache-control']).toBe(first.headers['cache-control']);
    }
    expect(first.headers['cache-control']).not.toContain('no-store');
    // The same content in another coding is another representation (RFC 9110 §8.8.3).
    expect((await ask(url, { 'if-none-match': etag })).statusCode).toBe(200);
    expect((await ask(url, { 'if-none-match': '"other"', 'accept-encoding': 'br' })).statusCode).toBe(200);
  });

  it('says to HEAD what it says to GET, without the content', async () => {
    const { headers, body } = await ask(url, { 'accept-encoding': 'br' }, 'HEAD');
    const full = await ask(url, { 'accept-encoding': 'br' });
    expect([body, headers['content-encoding']]).toEqual(['', 'br']);
    for (const name of ['content-length', 'etag', 'vary']) expect(headers[name]).toBe(full.headers[name]);
  });
});

describe('an answer to a credential', () => {
  // Secrets beside what a stranger chooses, compressed together, can be guessed by the length (BREACH).
  it('is never compressed, and never kept', async () => {
    const headers = { authorization: `Bearer ${service.adminKey}`, 'accept-encoding': 'br, gzip' };
    const answer = await ask('/api/v1/api-keys', headers);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('cannot be declared a document', async () => {
    const { assertDeclaration } = await import('../../src/hooks/declaration-rules.ts');
    const read = service.app.operations.find(({ id }) => id === 'wallet.list') ?? service.app.operations[0]!;
    expect(() => assertDeclaration({ ...read, success: { ...read.success, document: true } } as typeof read)).toThrow(
      /document/,
    );
  });
});
