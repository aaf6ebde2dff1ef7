import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../builders/app.ts';

const now = { delayMs: 0, queue: 0 };
const PAGE = 'https://dashboard.example.com';
let service: TestApp;

beforeAll(async () => {
  service = await startTestApp({
    env: { CORS_ORIGINS: PAGE },
    pressure: {
      eventLoopDelayMs: () => now.delayMs,
      queueDepth: () => now.queue,
      most: { eventLoopDelayMs: 1_000, queueDepth: 5_000 },
    },
  });
});
beforeEach(() => {
  now.delayMs = 0;
  now.queue = 0;
});
afterAll(() => service.close());

const read = () => service.get('/api/v1/wallets');
const write = () => service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' });

describe('under overload', () => {
  it('turns everything away while the event loop is late, and takes it again afterwards', async () => {
    now.delayMs = 1_000;
    expect((await read()).status).toBe(200);
    now.delayMs = 1_000.5;
    for (const answer of [await read(), await write(), await service.get('/nothing')]) {
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('2');
      expect(answer.headers['x-ratelimit-limit']).toBe('1000');
      expect(answer.headers['x-request-id']).toMatch(/^req_/);
      expect(answer.body.error).toMatchObject({ code: 'internal_error', details: { code: 'overloaded' } });
    }
    now.delayMs = 0;
    expect((await read()).status).toBe(200);
    expect((await write()).status).toBe(201);
  });

  it('turns away what modifies while too much waits for the writer; reading goes on', async () => {
    now.queue = 5_001;
    const refused = await write();
    expect(refused.status).toBe(503);
    expect(refused.body.error.details.code).toBe('overloaded');
    expect((await read()).status).toBe(200);
    now.queue = 5_000;
    expect((await write()).status).toBe(201);
  });

  it('says still that it lives, and whether it is ready', async () => {
    now.delayMs = 60_000;
    now.queue = 1_000_000;
    for (const path of ['/livez', '/readyz']) {
      for (const method of ['GET', 'HEAD']) {
        expect((await service.call(method, path, undefined, { apiKey: null })).status, `${method} ${path}`).toBe(200);
      }
    }
  });

  it('reaches pages too: preflights are answered, and pages can read the reason', async () => {
    now.delayMs = 60_000;
    const headers = { origin: PAGE, 'access-control-request-method': 'GET' };
    const preflight = await service.call('OPTIONS', '/api/v1/wallets', undefined, { apiKey: null, headers });
    expect(preflight.status).toBe(204);
    const answer = await service.get('/api/v1/wallets', { headers: { origin: PAGE } });
    expect(answer.status).toBe(503);
    expect(answer.headers['access-control-allow-origin']).toBe(PAGE);
    expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  it('does no work for what it turns away, not even to look a credential up', async () => {
    now.delayMs = 60_000;
    const answer = await service.get('/api/v1/wallets', { apiKey: 'ak_nonsense' });
    expect(answer.status).toBe(503);
  });
});
