/** What every answer has, and what none may show. */
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../src/core/errors.ts';
import { hookLayer } from '../../src/hooks/index.ts';
import { operation } from '../../src/hooks/operation.ts';
import { refusalOf } from '../../src/hooks/refusals/errors.ts';
import { registerOperations } from '../../src/hooks/register-operations.ts';
import { type HookApp, startHookApp } from './hook-app.ts';

let it_: HookApp;

beforeAll(async () => {
  it_ = await startHookApp();
});
afterAll(() => it_.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  it_.inject({ url, headers: { authorization: `Bearer ${it_.apiKey}`, ...headers } });

describe('every answer', () => {
  it("carries a request id: the caller's where it is sane, else one of ours", async () => {
    expect((await get('/api/v1/notes', { 'x-request-id': 'caller-1234' })).headers['x-request-id']).toBe('caller-1234');
    for (const id of ['short', 'with blank in it', 'a'.repeat(129), 'quote"quote']) {
      expect((await get('/api/v1/notes', { 'x-request-id': id })).headers['x-request-id']).toMatch(
        /^req_[0-9A-Za-z]{22}$/,
      );
    }
  });

  it('carries the security headers', async () => {
    const { headers } = await get('/api/v1/notes');
    expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['strict-transport-security']).toBeDefined();
  });

  it('serves v0 as v1, saying that it is deprecated', async () => {
    const response = await get('/api/v0/notes?limit=5');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ limit: 5, offset: 0 });
    expect(response.headers.deprecation).toMatch(/^@\d+$/);
    expect(new Date(String(response.headers.sunset)).getTime()).toBeGreaterThan(Date.now());
    expect(response.headers.link).toBe('</api/v1/notes>; rel="successor-version"');
    expect((await get('/api/v1/notes')).headers.deprecation).toBeUndefined();
    const refused = await get('/api/v0/notes', { authorization: 'Bearer ak_nonsense' });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers.deprecation).toMatch(/^@\d+$/);
  });

  it.each([
    'application/json',
    'application/json; version=1',
    '*/*',
    'text/html, application/json;version="1";q=0.5',
  ])('takes Accept: %s', async (accept) => {
    expect((await get('/api/v1/notes', { accept })).statusCode).toBe(200);
  });
});

describe('an internal error', () => {
  it('is answered without detail, and logged under its request id without statement or secret', async () => {
    const response = await it_.inject({
      method: 'DELETE',
      url: '/api/v1/notes/7',
      headers: { authorization: `Bearer ${it_.apiKey}` },
    });
    expect(response.statusCode).toBe(500);
    expect(response.json().error.code).toBe('internal_error');
    expect(response.body).not.toMatch(/SELECT|notes\/7|hook-app/);
    const line = it_.logged.find((one) => one.includes('internal error')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      request_id: response.headers['x-request-id'],
      operation: 'note.break',
      fault: { type: 'Error' },
    });
    expect(line).not.toMatch(/ak_12345678|SELECT|at Object/);
  });

  it('shows nothing of an error that is not known', () => {
    for (const thrown of [new TypeError('x is undefined'), 'text', null, { code: 'SQLITE_CORRUPT', statusCode: 400 }]) {
      expect(refusalOf(thrown).refusal).toMatchObject({ status: 500, code: 'internal_error' });
    }
  });
});

describe('a domain error', () => {
  it('has its status, its slug, its field, and Retry-After where waiting helps', () => {
    const dust = refusalOf(new DomainError('dust', 'too small', { field: 'recipients[0].amount' })).refusal;
    expect(dust).toMatchObject({ status: 422, code: 'invalid_request', slug: 'dust', field: 'recipients[0].amount' });
    const away = refusalOf(new DomainError('node_unavailable', 'away', { retryAfterSeconds: 7 })).refusal;
    expect(away).toMatchObject({ status: 503, code: 'internal_error', headers: { 'retry-after': '7' } });
  });
});

describe('the boot', () => {
  const bare = async () => {
    const app = Fastify();
    await app.register(hookLayer, {
      apiKeys: { verify: () => Promise.reject(new Error('unused')), verifyCached: () => null },
      metrics: null,
    });
    return app;
  };
  const declared = {
    id: 'thing.create',
    family: 'a',
    method: 'POST',
    path: '/api/v1/things',
    summary: 'A thing',
    tag: 'Test',
    effect: 'write',
    access: 'public',
    limitClass: 'standard',
    idempotent: false,
    errors: [],
    success: { status: 201, description: 'Made', schema: z.object({}) },
    run: async () => ({}),
    present: () => ({}),
  } as const;

  const unused = {
    idempotency: { begin: () => Promise.reject(new Error('unused')) },
    fingerprints: { of: () => '' },
  };

  it('fails where a route has no declaration', async () => {
    const app = await bare();
    app.get('/hidden', async () => 'x');
    await expect(app.ready()).rejects.toThrow(/routes without a declaration: GET \/hidden/);
  });

  it.each([
    [
      'would let unknown fields through',
      z.object({ a: z.string() }),
      /thing.create: body has an object that is not strict/,
    ],
    ['has a list of any length', z.array(z.string()), /thing.create: body has a list without a bound/],
    [
      'has a list that need only be long enough',
      z.array(z.string()).min(1),
      /thing.create: body has a list without a bound/,
    ],
    [
      'has such a list among unknown fields',
      z.object({}).catchall(z.array(z.string())),
      /thing.create: body has a list without a bound/,
    ],
    [
      'has such a list behind a codec and a union',
      z.union([z.string(), z.codec(z.array(z.string()), z.any(), { decode: (a) => a, encode: (a) => a })]).optional(),
      /thing.create: body has a list without a bound/,
    ],
    ['has what JSON does not have', z.tuple([z.lazy(() => z.date())]), /thing.create: body has a date/],
  ])('fails where a body %s', async (_, inner, said) => {
    const app = await bare();
    const body = z.strictObject({ inner });
    expect(() => registerOperations(app, [operation({ ...declared, body, bodyLimit: 1_024 })], unused)).toThrow(said);
  });

  it('fails where an answer has what JSON does not have', async () => {
    const app = await bare();
    const schema = z.object({ amounts: z.array(z.bigint()) });
    const success = { ...declared.success, schema };
    expect(() => registerOperations(app, [operation({ ...declared, success } as never)], unused)).toThrow(
      /thing.create: answer has a bigint/,
    );
  });
});
