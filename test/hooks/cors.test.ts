import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HookApp, startHookApp } from './hook-app.ts';

const PAGE = 'https://dashboard.example.com';
let it_: HookApp;

beforeAll(async () => {
  it_ = await startHookApp({ layer: { corsOrigins: [PAGE, 'http://localhost:5173'] } });
});
afterAll(() => it_.close());

const corsHeaders = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

const preflight = (origin: string, url = '/api/v1/notes') =>
  it_.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,signature,signature-input',
    },
  });

describe('a page of an allowed origin', () => {
  it('learns from the preflight what it may send', async () => {
    const { statusCode, headers, body } = await preflight(PAGE);
    expect(statusCode).toBe(204);
    expect(body).toBe('');
    expect(headers['access-control-allow-origin']).toBe(PAGE);
    expect(String(headers['access-control-allow-methods']).split(', ')).toEqual([
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
    ]);
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'content-digest',
        'idempotency-key',
        'signature',
        'signature-input',
      ]),
    );
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['x-ratelimit-limit']).toBe('1000');
    expect(headers['x-request-id']).toMatch(/^req_/);
    expect(headers.vary).toMatch(/Origin/i);
  });

  it('may read answers, their refusals and the headers that count', async () => {
    for (const [authorization, status] of [
      [`Bearer ${it_.apiKey}`, 200],
      ['Bearer ak_nonsense', 401],
    ] as const) {
      const { statusCode, headers } = await it_.app.inject({
        url: '/api/v1/notes',
        headers: { origin: 'http://localhost:5173', authorization },
      });
      expect(statusCode).toBe(status);
      expect(headers['access-control-allow-origin']).toBe('http://localhost:5173');
      const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining([
          'x-ratelimit-limit',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
          'x-request-id',
          'retry-after',
          'idempotency-replayed',
          'accept-signature',
          'www-authenticate',
        ]),
      );
    }
  });

  it('may ask before it knows that a path is not there, which is then 404', async () => {
    expect((await preflight(PAGE, '/nothing')).statusCode).toBe(204);
    const { statusCode, headers } = await it_.app.inject({ url: '/nothing', headers: { origin: PAGE } });
    expect(statusCode).toBe(404);
    expect(headers['access-control-allow-origin']).toBe(PAGE);
  });
});

describe('a page of another origin', () => {
  it.each([
    'https://evil.example',
    `${PAGE}.evil.example`,
    'http://dashboard.example.com',
    'null',
    `${PAGE}:8443`,
  ])('%s is told nothing', async (origin) => {
    const before = await preflight(origin);
    expect(before.statusCode).toBe(405);
    expect(corsHeaders(before.headers)).toEqual([]);
    const { statusCode, headers } = await it_.app.inject({
      url: '/api/v1/notes',
      headers: { origin, authorization: `Bearer ${it_.apiKey}` },
    });
    expect(statusCode).toBe(200);
    expect(corsHeaders(headers)).toEqual([]);
  });

  it('and what is no page see the same answers as ever', async () => {
    const { headers } = await it_.app.inject({
      url: '/api/v1/notes',
      headers: { authorization: `Bearer ${it_.apiKey}` },
    });
    expect(corsHeaders(headers)).toEqual([]);
    expect((await it_.app.inject({ method: 'OPTIONS', url: '/nothing' })).statusCode).toBe(404);
  });
});

describe('without CORS_ORIGINS', () => {
  it('no page gets CORS headers', async () => {
    const bare = await startHookApp();
    try {
      const headers = { origin: PAGE, 'access-control-request-method': 'GET' };
      const answer = await bare.app.inject({ method: 'OPTIONS', url: '/api/v1/notes', headers });
      expect(answer.statusCode).toBe(405);
      expect(corsHeaders(answer.headers)).toEqual([]);
    } finally {
      await bare.close();
    }
  });
});
