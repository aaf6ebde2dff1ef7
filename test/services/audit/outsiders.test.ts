/** What of the log outsiders can write, and how much. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../builders/app.ts';

const MAX = 1_000;
let clock = Date.UTC(2026, 10, 20, 12, 0, 0);
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: () => clock, env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => app.close());

const records = async (log: string): Promise<number> =>
  (await app.get(`/api/v1/compliance/audit?limit=1&log=${log}`)).body.pagination.total;

/** Each from an address of its own, so that no address has too many. */
async function refusals(count: number, apiKey: string | null = null): Promise<void> {
  const from = (i: number) => ({ 'x-forwarded-for': `10.0.${i >> 8}.${i & 255}` });
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) => app.get('/api/v1/wallets', { apiKey, headers: from(i) })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
}

it('records a thousand refusals of unknown callers a minute, from however many addresses, and all of known ones', async () => {
  const none = await records('service');
  await refusals(MAX + 50);
  expect(await records('service')).toBe(none + MAX);
  const known = await app.key({ scopes: ['wallets:read'] });
  const before = await records('account');
  expect((await app.get('/api/v1/api-keys', { apiKey: known })).status).toBe(403);
  expect(await records('account')).toBe(before + 1);
  clock += 60_000;
  await refusals(2);
  expect(await records('service')).toBe(none + MAX + 2);
});

it('records as many of a key that was revoked, in the log of its account', async () => {
  const apiKey = await app.key({ name: 'leaked' });
  const { keyId } = (await app.app.services.apiKeys.list(app.accountId)).find(({ name }) => name === 'leaked')!;
  await app.app.services.apiKeys.revoke(app.accountId, keyId);
  const before = await records('account');
  await refusals(MAX + 50, apiKey);
  expect(await records('account')).toBe(before + MAX);
});

it('keeps no query of who is not known: what it may hold could let somebody in', async () => {
  clock += 60_000;
  const before = await records('service');
  expect((await app.get('/api/v1/wallets?access_token=put-there-by-mistake', { apiKey: null })).status).toBe(401);
  expect(await records('service')).toBe(before + 1);
  const [newest] = (await app.get('/api/v1/compliance/audit?limit=1&log=service')).body.data;
  expect(JSON.parse(newest.entry).path).toBe('/api/v1/wallets');
});
