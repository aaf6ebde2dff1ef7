import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;

beforeAll(async () => {
  service = await startTestApp({ blocks: 3 });
  await service.synced();
});
afterAll(() => service.close());

describe('the service', () => {
  it('says that it lives', async () => {
    const { status, body } = await service.get('/livez', { apiKey: null });
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'alive', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it('is ready once the follower is at the tip, part by part, and says that the chain is simulated', async () => {
    const { status, body } = await service.get('/readyz?for=writes', { apiKey: null });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({
      status: 'ready',
      for: 'writes',
      parts: {
        database: { ok: true, kind: 'sqlite', writable: true, problem: null },
        chain: { ok: true, source: 'simulated', network: 'regtest', height: 3, syncing: false, problem: null },
        follower: { ok: true, height: 3, lag: 0, halted: null },
        master_key: { ok: true },
        limits: { store: 'local', degraded: false },
      },
      warnings: expect.arrayContaining([expect.stringMatching(/simulated/)]),
    });
  });

  it('shows the chain as its source and the follower see it', async () => {
    const { status, body } = await service.get('/api/v1/blockchain/status');
    expect(status).toBe(200);
    const info = await service.simulated.info();
    expect(body).toEqual({
      network: 'regtest',
      source: 'simulated',
      height: 3,
      best_block_hash: info.bestBlockHash,
      syncing: false,
      mempool: { count: 0, vbytes: 0, min_fee_rate: '0.1' },
      ...{ peers: { inbound: 0, outbound: 0 }, verification_progress: 1, warnings: [] },
      follower: { height: 3, lag: 0, seconds_to_tip: 0 },
    });
  });

  it('needs a credential for all but the public paths', async () => {
    expect((await service.get('/api/v1/blockchain/status', { apiKey: null })).status).toBe(401);
    for (const path of ['/livez', '/readyz', '/openapi.json', '/docs/']) {
      expect((await service.get(path, { apiKey: null })).status, path).toBe(200);
    }
  });

  it('serves reads alone, and answers 503 with Retry-After, while the chain source is away; and is back by itself', async () => {
    service.simulated.setReachable(false);
    try {
      const status = await service.get('/api/v1/blockchain/status');
      expect(status.status).toBe(503);
      expect(status.headers['retry-after']).toMatch(/^\d+$/);
      expect(status.body.error).toMatchObject({ code: 'internal_error', details: { code: 'node_unavailable' } });
      // What is said of the parts is shared for a second.
      await expect.poll(async () => (await service.get('/readyz?for=writes')).status).toBe(503);
      const parts = { chain: { ok: false }, database: { ok: true, writable: true } };
      expect((await service.get('/readyz?for=writes')).body).toMatchObject({
        status: 'not_ready',
        for: 'writes',
        parts,
      });
      const reads = await service.get('/readyz?for=reads');
      expect([reads.status, reads.body]).toMatchObject([200, { status: 'ready', for: 'reads', parts }]);
      expect((await service.get('/api/v1/wallets')).status).toBe(200);
      expect((await service.get('/readyz?for=all')).body.error.details).toMatchObject({ field: 'query.for' });
      expect((await service.get('/livez')).status).toBe(200);
    } finally {
      service.simulated.setReachable(true);
    }
    expect((await service.get('/readyz?for=writes')).status).toBe(200);
  });
});

describe('mining', () => {
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

  it('mines to an address', async () => {
    const { status, body } = await service.post('/api/v1/bitcoin/blocks', { count: 2, address });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data).toHaveLength(2);
    const { height, bestBlockHash } = await service.simulated.info();
    expect(body.data[1]).toEqual({ height, hash: bestBlockHash });
  });

  it('mines once for one Idempotency-Key', async () => {
    const options = { idempotencyKey: 'mine-1' };
    const first = await service.post('/api/v1/bitcoin/blocks', { count: 1 }, options);
    const again = await service.post('/api/v1/bitcoin/blocks', { count: 1 }, options);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect((await service.simulated.info()).height).toBe(first.body.data[0].height);
  });

  it.each([
    ['no count', {}, 'count', 'invalid_value'],
    ['0 blocks', { count: 0 }, 'count', 'invalid_value'],
    ['1001 blocks', { count: 1001 }, 'count', 'invalid_value'],
    ['half a block', { count: 0.5 }, 'count', 'invalid_value'],
    ['a count that is text', { count: '1' }, 'count', 'invalid_value'],
    ['an address that is none', { count: 1, address: 'nonsense' }, 'address', 'invalid_address'],
    [
      'a mainnet address',
      { count: 1, address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
      'address',
      'wrong_network',
    ],
  ])('refuses %s', async (_, body, field, code) => {
    const answer = await service.post('/api/v1/bitcoin/blocks', body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error.details).toMatchObject({ field, code });
  });
});

describe('/docs', () => {
  it('loads everything from the service itself, under a policy that allows just that', async () => {
    const page = await service.get('/docs', { apiKey: null });
    expect((await service.get('/docs/', { apiKey: null })).text).toBe(page.text);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const loads = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target);
    expect(loads).toEqual(['/docs/js/scalar.js']);
    expect(page.text).toContain('"url": "/openapi.json"');
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/]+=';/);
    expect(policy).not.toContain('http');
    const script = await service.get('/docs/js/scalar.js', { apiKey: null });
    expect(script.headers['content-type']).toMatch(/javascript/);
    expect(script.text).toContain('createApiReference');
  });
});
