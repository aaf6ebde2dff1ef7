/** Who asks too often is told so; nobody is for what others do. */
import { describe, expect, it } from 'vitest';
import { answerOf, type LimitedApp, MINUTE_END, startLimitedApp } from './limited-app.ts';

const invented = (i: number): string => `ak_${String(i).padStart(8, '0')}_${'x'.repeat(43)}`;

const own = (app: LimitedApp, requests: number) =>
  app.key({ tier: 'custom', limits: { requests_per_minute: requests, bulk_per_minute: 2 } });

describe('a credential', () => {
  it('gets what is left in its headers, and 429 when nothing is left, until the minute ends', async () => {
    const app = await startLimitedApp();
    const key = await own(app, 3);
    for (const remaining of [2, 1, 0]) {
      expect(await app.get('/api/v1/notes', key)).toMatchObject({
        status: 200,
        limit: 3,
        remaining,
        reset: MINUTE_END,
      });
    }
    const refused = await app.get('/api/v1/notes', key);
    expect(refused).toMatchObject({ status: 429, limit: 3, remaining: 0, reset: MINUTE_END });
    expect(refused.headers['retry-after']).toBe('40');
    expect(refused.body.error).toMatchObject({
      code: 'rate_limited',
      message: 'the limit is 3 requests of this credential per minute: the next minute begins in 40 s',
      details: { code: 'rate_limited' },
    });
    app.advance(40_000);
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 200, remaining: 2, reset: MINUTE_END + 60 });
  });

  it('has the buckets of families and classes, and sees the one that is nearest to its end', async () => {
    const app = await startLimitedApp();
    const key = await app.key();
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ limit: 1000, remaining: 999 });
    expect(await app.get('/api/v1/notes/status', key)).toMatchObject({ limit: 100, remaining: 99 });
    expect(await app.get('/v1/governance/notes', key)).toMatchObject({ limit: 100, remaining: 99 });
    for (let left = 9; left >= 0; left--) {
      expect(await app.get('/api/v1/notes/export', key)).toMatchObject({ status: 200, limit: 10, remaining: left });
    }
    const refused = await app.get('/api/v1/notes/export', key);
    expect(refused).toMatchObject({ status: 429, limit: 10 });
    expect(refused.body.error.message).toMatch(/^the limit is 10 bulk requests of this credential/);
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 200, limit: 1000, remaining: 987 });
  });

  it.each([
    ['a path that is not there', 'GET', '/api/v1/nothing', 404],
    ['the beta', 'GET', '/api/v2/notes', 404],
    ['the old name', 'GET', '/api/v0/notes', 200],
    ['another method', 'PUT', '/api/v1/notes', 405],
    ['a method that nothing has', 'PROPFIND', '/api/v1/notes', 405],
    ['a method of no route', 'MKCOL', '/nothing', 404],
    ['OPTIONS', 'OPTIONS', '/api/v1/notes', 405],
    ['HEAD', 'HEAD', '/api/v1/notes', 200],
    ['a query that is wrong', 'GET', '/api/v1/notes?limit=0', 400],
    ['an escape that is wrong', 'GET', '/api/v1/notes?limit=%ff', 400],
    ['an unsigned write', 'POST', '/api/v1/notes', 401],
  ])('is counted for %s', async (_, method, url, status) => {
    const app = await startLimitedApp();
    const key = await own(app, 2);
    const ask = async () => {
      const response = await app.app.inject({
        method: method as 'GET',
        url,
        headers: { authorization: `Bearer ${key}` },
        ...(method === 'POST' ? { payload: { text: 'a' } } : {}),
      });
      return answerOf(response);
    };
    expect(await ask()).toMatchObject({ status, limit: 2, remaining: 1 });
    expect(await ask()).toMatchObject({ status, limit: 2, remaining: 0 });
    expect(await ask()).toMatchObject({ status: 429, limit: 2, remaining: 0 });
  });

  it('is counted for what it may not do, for another version and for another media type', async () => {
    const app = await startLimitedApp();
    const limits = { requests_per_minute: 3 };
    const key = await app.key({ tier: 'custom', limits, scopes: ['wallets:read'] });
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 403, limit: 3, remaining: 2 });
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 403, remaining: 1 });
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 403, remaining: 0 });
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 429, remaining: 0 });
    const another = await own(app, 1);
    const accept = { accept: 'application/json; version=9' };
    expect(await app.get('/api/v1/notes', another, accept)).toMatchObject({ status: 406, limit: 1, remaining: 0 });
    expect(await app.get('/api/v1/notes', another, accept)).toMatchObject({ status: 429 });
  });

  it('is refused for the rest of the day where its quota is used up, and told so', async () => {
    const app = await startLimitedApp();
    const key = await app.key({ tier: 'custom', limits: { requests_per_day: 1 } });
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ limit: 1, remaining: 0 });
    const response = await app.app.inject({ url: '/api/v1/notes', headers: { authorization: `Bearer ${key}` } });
    expect(response.statusCode).toBe(429);
    expect(response.json().error.message).toMatch(/^the limit is 1 requests of this credential per day: the next day/);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('is refused before its body is read', async () => {
    const app = await startLimitedApp();
    const key = await own(app, 1);
    const post = (payload: string, type: string) =>
      app.app.inject({
        method: 'POST',
        url: '/api/v1/notes',
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        payload,
      });
    expect((await post('x'.repeat(2 * 1024 * 1024), 'application/json')).statusCode).toBe(413);
    expect((await post('x', 'text/csv')).statusCode).toBe(429);
  });

  it('stays the same whichever of its forms of address is used: one bucket for a key', async () => {
    const app = await startLimitedApp({ trustProxy: ['127.0.0.1'] });
    const key = await own(app, 2);
    const from = (address: string) => app.get('/api/v1/notes', key, { 'x-forwarded-for': address });
    expect(await from('10.0.0.1')).toMatchObject({ remaining: 1 });
    expect(await from('10.0.0.2')).toMatchObject({ remaining: 0 });
    expect(await from('10.0.0.3')).toMatchObject({ status: 429 });
  });

  it('that is refused for its number is not recorded', async () => {
    const app = await startLimitedApp();
    const key = await own(app, 1);
    await app.get('/api/v1/notes', key);
    await app.get('/api/v1/notes', key);
    expect(app.recorded).toEqual([]);
  });
});

describe('an address', () => {
  /** Uses all of its failures up but `left`. */
  async function exhaust(app: LimitedApp, left = 0, more: Record<string, string> = {}) {
    for (let i = 0; i < 1_000 - left; i++) await app.get('/api/v1/notes', invented(i), more);
  }

  it('has its failed authentications counted, however they fail', async () => {
    const app = await startLimitedApp();
    const kinds: [string, string | null, number][] = [
      ['/api/v1/notes', null, 401],
      ['/api/v1/notes', invented(1), 401],
      ['/api/v1/notes', 'nonsense', 401],
      ['/api/v1/notes', 'ey.ey.ey', 401],
      ['/api/v0/notes', invented(2), 401],
      ['/api/v1/nothing', null, 404],
      ['/api/v2/notes', invented(3), 404],
      ['/api/v1/notes/%zz', null, 400],
    ];
    for (const [i, [url, key, status]] of kinds.entries()) {
      expect(await app.get(url, key)).toMatchObject({ status, limit: 1000, remaining: 999 - i, reset: MINUTE_END });
    }
    const methods = ['PUT', 'PROPFIND', 'OPTIONS', 'HEAD'] as const;
    for (const [i, method] of methods.entries()) {
      const url = method === 'HEAD' ? '/nothing' : '/api/v1/notes';
      const response = await app.app.inject({ method: method as 'GET', url });
      expect(Number(response.headers['x-ratelimit-remaining']), method).toBe(991 - i);
    }
    const login = answerOf(await app.app.inject({ method: 'POST', url: '/api/v1/door' }));
    expect(login).toMatchObject({ status: 401, limit: 1000, remaining: 987 });
    // A credential of its own that may not be used from here is no excuse.
    const elsewhere = await app.key({ allowedIps: ['10.9.9.9'] });
    expect(await app.get('/api/v1/notes', elsewhere)).toMatchObject({ status: 403, limit: 1000, remaining: 986 });
  });

  it('gets 429 for what fails once it has failed a thousand times, and none of that is recorded', async () => {
    const app = await startLimitedApp();
    await exhaust(app, 1);
    expect(await app.get('/api/v1/notes', null)).toMatchObject({ status: 401, remaining: 0 });
    expect(app.recorded).toHaveLength(1_000);
    for (const [url, key] of [
      ['/api/v1/notes', null],
      ['/api/v1/notes', invented(7)],
      ['/api/v1/notes', 'nonsense'],
      ['/nothing', null],
    ] as const) {
      const refused = await app.get(url, key);
      expect(refused, url).toMatchObject({ status: 429, limit: 1000, remaining: 0, reset: MINUTE_END });
      expect(refused.headers['retry-after']).toBe('40');
      expect(refused.headers['www-authenticate']).toBeUndefined();
      expect(refused.body.error.message).toMatch(/^the limit is 1000 failed authentications from this address/);
    }
    expect(answerOf(await app.app.inject({ method: 'POST', url: '/api/v1/door' })).status).toBe(429);
    expect(app.recorded).toHaveLength(1_000);
    app.advance(40_000);
    expect(await app.get('/api/v1/notes', null)).toMatchObject({ status: 401, remaining: 999 });
  });

  it('never has its neighbours refused: a credential that stands passes, seen before or not', async () => {
    const app = await startLimitedApp();
    const seen = await app.key();
    expect(await app.get('/api/v1/notes', seen)).toMatchObject({ status: 200, remaining: 999 });
    const fresh = await app.key();
    await exhaust(app);
    expect(await app.get('/api/v1/notes', null)).toMatchObject({ status: 429 });
    expect(await app.get('/api/v1/notes', seen)).toMatchObject({ status: 200, limit: 1000, remaining: 998 });
    expect(await app.get('/api/v1/notes', fresh)).toMatchObject({ status: 200, limit: 1000, remaining: 999 });
    // It may also ask for what is not there.
    expect(await app.get('/api/v1/nothing', fresh)).toMatchObject({ status: 404, remaining: 998 });
  });

  it('costs one counter, however many keys it invents', async () => {
    const app = await startLimitedApp();
    const key = await app.key();
    await app.get('/api/v1/notes', key);
    for (let i = 0; i < 3_000; i++) await app.get(i % 2 ? '/api/v1/notes' : `/${i}`, invented(i));
    // The key's minute and day, and the address's minute.
    expect(app.counted()).toBe(3);
    expect(await app.get('/api/v1/notes', key)).toMatchObject({ status: 200, remaining: 998 });
  });

  it('is an IPv4 address, or an IPv6 network of 64 bits', async () => {
    const app = await startLimitedApp({ trustProxy: ['127.0.0.1'] });
    const from = (address: string) => app.get('/api/v1/notes', null, { 'x-forwarded-for': address });
    expect(await from('10.0.0.1')).toMatchObject({ remaining: 999 });
    expect(await from('10.0.0.2')).toMatchObject({ remaining: 999 });
    expect(await from('::ffff:10.0.0.1')).toMatchObject({ remaining: 998 });
    expect(await from('2001:db8:1:2::1')).toMatchObject({ remaining: 999 });
    expect(await from('2001:db8:1:2:ffff:ffff:ffff:ffff')).toMatchObject({ remaining: 998 });
    expect(await from('2001:db8:1:3::1')).toMatchObject({ remaining: 999 });
  });

  it('is shown its failures on what is open to all, which is not counted', async () => {
    const app = await startLimitedApp();
    await app.get('/api/v1/notes', null);
    for (let i = 0; i < 3; i++) {
      const preflight = answerOf(await app.app.inject({ method: 'POST', url: '/api/v1/door', payload: '{' }));
      expect(preflight.limit).toBe(1000);
      expect(preflight.remaining).toBe(999);
    }
  });
});
