import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HookApp, startHookApp } from './hook-app.ts';

let it_: HookApp;

beforeAll(async () => {
  it_ = await startHookApp({ trustProxy: ['127.0.0.1'] });
});
afterAll(() => it_.close());

const get = (authorization?: string, headers: Record<string, string> = {}) =>
  it_.inject({ url: '/api/v1/notes', headers: { ...(authorization ? { authorization } : {}), ...headers } });
const write = (key: string) =>
  it_.inject({
    method: 'POST',
    url: '/api/v1/notes',
    headers: { authorization: `Bearer ${key}` },
    payload: { text: 'a' },
  });

describe('authentication', () => {
  it('refuses a missing key with 401 and says how to authenticate', async () => {
    const response = await get();
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="ashlar"');
    expect(response.json().error.code).toBe('unauthorized');
  });

  it.each([
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer '],
    ['a malformed key', 'Bearer nonsense'],
    ['an unknown key', `Bearer ak_12345678_${'0'.repeat(43)}`],
  ])('refuses %s as an invalid token', async (_, authorization) => {
    const response = await get(authorization);
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="ashlar", error="invalid_token"');
  });

  it('refuses a key whose last character differs', async () => {
    const last = it_.apiKey.at(-1) === '0' ? '1' : '0';
    const response = await get(`Bearer ${it_.apiKey.slice(0, -1)}${last}`);
    expect(response.statusCode).toBe(401);
  });

  it('takes a key that stands, whatever the case of the scheme', async () => {
    expect((await get(`Bearer ${it_.apiKey}`)).statusCode).toBe(200);
    expect((await get(`bearer ${it_.apiKey}`)).statusCode).toBe(200);
  });

  it('refuses an expired key, from the moment it expires', async () => {
    const key = await it_.key({ expiresAt: Date.now() + 60_000 });
    expect((await get(`Bearer ${key}`)).statusCode).toBe(200);
    it_.advance(60_000);
    const late = await get(`Bearer ${key}`);
    expect(late.statusCode).toBe(401);
    expect(late.json().error.message).toMatch(/expired/);
  });

  it('refuses a revoked key at once, though it was used a moment ago', async () => {
    const key = await it_.key({ name: 'to be revoked' });
    expect((await get(`Bearer ${key}`)).statusCode).toBe(200);
    const record = (await it_.apiKeys.list(it_.accountId)).find(({ name }) => name === 'to be revoked');
    await it_.apiKeys.revoke(it_.accountId, record?.keyId ?? '');
    const after = await get(`Bearer ${key}`);
    expect(after.statusCode).toBe(401);
    expect(after.json().error.message).toMatch(/revoked/);
  });

  it('notices within seconds that another process revoked a key', async () => {
    const key = await it_.key({ name: 'revoked elsewhere' });
    expect((await get(`Bearer ${key}`)).statusCode).toBe(200);
    const record = (await it_.apiKeys.list(it_.accountId)).find(({ name }) => name === 'revoked elsewhere');
    await it_.store.write((tx) => tx.apiKeys.revoke(it_.accountId, record?.keyId ?? '', Date.now()));
    it_.advance(5_000);
    expect((await get(`Bearer ${key}`)).statusCode).toBe(401);
  });

  it('takes a key with an address list from its networks only, the address as the trusted proxy tells it', async () => {
    const key = await it_.key({ allowedIps: ['10.1.0.0/16', '2001:db8::/32'] });
    const from = (address: string) => get(`Bearer ${key}`, { 'x-forwarded-for': address });
    expect((await from('10.1.2.3')).statusCode).toBe(200);
    expect((await from('2001:db8::7')).statusCode).toBe(200);
    expect((await from('10.2.0.1')).statusCode).toBe(403);
    expect((await from('2001:db9::7')).statusCode).toBe(403);
    expect((await get(`Bearer ${key}`)).statusCode).toBe(403);
  });

  it('notes the last use of a key, at most once a minute', async () => {
    const key = await it_.key({ name: 'touched' });
    const lastUse = async () =>
      (await it_.apiKeys.list(it_.accountId)).find(({ name }) => name === 'touched')?.lastUsedAt ?? null;
    expect(await lastUse()).toBeNull();
    await get(`Bearer ${key}`);
    await it_.store.write(async () => {});
    const first = await lastUse();
    expect(first).not.toBeNull();
    it_.advance(30_000);
    await get(`Bearer ${key}`);
    await it_.store.write(async () => {});
    expect(await lastUse()).toBe(first);
    it_.advance(31_000);
    await get(`Bearer ${key}`);
    await it_.store.write(async () => {});
    expect(await lastUse()).toBeGreaterThan(first ?? Number.MAX_SAFE_INTEGER);
  });
});

describe('authorization', () => {
  it('lets viewers read and not write, operators write and not administer', async () => {
    const viewer = await it_.key({ role: 'viewer' });
    const operator = await it_.key({ role: 'operator' });
    expect((await get(`Bearer ${viewer}`)).statusCode).toBe(200);
    const refused = await write(viewer);
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error).toMatchObject({ code: 'forbidden', message: expect.stringMatching(/role operator/) });
    expect((await write(operator)).statusCode).toBe(201);
    const remove = await it_.inject({
      method: 'DELETE',
      url: '/api/v1/notes/1',
      headers: { authorization: `Bearer ${operator}` },
    });
    expect(remove.statusCode).toBe(403);
  });

  it('lets a scope do what it names: read reads, write reads and writes, another noun nothing', async () => {
    const reads = await it_.key({ scopes: ['notes:read'] });
    const writes = await it_.key({ scopes: ['notes:write'] });
    const other = await it_.key({ scopes: ['wallets:write', 'notesx:write'] });
    expect((await get(`Bearer ${reads}`)).statusCode).toBe(200);
    expect((await write(reads)).statusCode).toBe(403);
    expect((await get(`Bearer ${writes}`)).statusCode).toBe(200);
    expect((await write(writes)).statusCode).toBe(201);
    expect((await get(`Bearer ${other}`)).statusCode).toBe(403);
  });

  it('checks the credential before the body', async () => {
    const response = await it_.inject({
      method: 'POST',
      url: '/api/v1/notes',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expect(response.statusCode).toBe(401);
  });
});
