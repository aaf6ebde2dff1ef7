/** What credentials use: requests and refusals counted and written together, payments from the sums that rules go by. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { boundOf } from '../../../src/core/metrics/latency.ts';
import { sweepSpendSums } from '../../../src/services/policies/sweep-spend-sums.ts';
import { createUsage, DAY_MS, KEPT_DAYS } from '../../../src/services/usage/usage.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { requestContext } from '../../builders/request-context.ts';
import { silent } from '../../builders/stores.ts';

const PATH = '/api/v1/enterprise/usage';
let service: TestApp;
let now = Date.parse('2026-11-24T23:59:00Z');
const clock = () => now;
beforeAll(async () => {
  service = await startTestApp({ clock });
});
afterAll(() => service.close());

async function usageOf(credentialId: string, query = ''): Promise<Json[]> {
  await service.app.services.usage.flush();
  const { status, body, text } = await service.get(`${PATH}?credential_id=${credentialId}${query}`);
  expect(status, text).toBe(200);
  return body.data;
}
const idOf = async (apiKey: string): Promise<string> =>
  (await service.app.services.apiKeys.verify(apiKey, '127.0.0.1')).credential.id;

it('counts requests and refusals of a credential by day, and adds to what was written', async () => {
  const apiKey = await service.key({ role: 'viewer' });
  const id = await idOf(apiKey);
  const ask = () => service.get('/api/v1/wallets', { apiKey });
  await ask();
  await service.get('/api/v1/wallets/wal_3mVb1k7Q2xYt9LpRw0Zc5A', { apiKey });
  await service.post('/api/v1/wallets', {}, { apiKey });
  const used = { credential_id: id, payments: 0, volume: '0.00000000' };
  const shown = { ...used, day: '2026-11-24', requests: 3, refusals: 2 };
  await expect.poll(() => usageOf(id)).toEqual([shown]);
  await ask();
  now += 60_000;
  await ask();
  await expect
    .poll(async () => (await usageOf(id))[0])
    .toEqual({ ...used, day: '2026-11-25', requests: 1, refusals: 0 });
  const [next, first] = await usageOf(id);
  expect(first).toMatchObject({ day: '2026-11-24', requests: 4, refusals: 2 });
  expect(await usageOf(id, '&from=2026-11-25')).toEqual([next]);
  expect(await usageOf(id, '&to=2026-11-24')).toEqual([first]);
  expect((await service.get(`${PATH}?from=yesterday`)).body.error.details.field).toBe('query.from');
  const { apiKey: stranger } = await service.anotherAccount();
  expect((await service.get(`${PATH}?credential_id=${id}`, { apiKey: stranger })).body.data).toEqual([]);
});

it("counts a credential's payments out of the account, also once their hours are swept, and none that came to nothing", async () => {
  const apiKey = await service.key();
  const id = await idOf(apiKey);
  const made = await service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' }, { apiKey });
  const wallet_id: string = made.body.wallet_id;
  const { address } = (await service.post(`/api/v1/wallets/${wallet_id}/addresses`, undefined)).body;
  await service.post('/api/v1/bitcoin/blocks', { count: 101, address });
  await service.synced();
  const pay = async (to: string, amount: string) => {
    const body = { recipients: [{ address: to, amount }], fee_rate: '2', rbf: true, wallet_id };
    const answer = await service.post('/api/v1/transactions', body, { apiKey });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.txid;
  };
  await pay('bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', '0.25');
  await pay(address, '0.5');
  const used = { payments: 1, volume: '0.25000000' };
  expect(await usageOf(id)).toMatchObject([used]);
  now += 40 * DAY_MS;
  expect(await sweepSpendSums({ store: service.app.store, clock })).toBeGreaterThan(0);
  expect(await usageOf(id)).toMatchObject([used]);
  expect(await sweepSpendSums({ store: service.app.store, clock })).toBe(0);
  expect(await usageOf(id)).toMatchObject([used]);
  const { usage } = service.app.services;
  now += KEPT_DAYS * DAY_MS;
  expect(await usage.sweep()).toBeGreaterThan(0);
  expect(await usageOf(id)).toEqual([]);
});

/** Longer than any request of these tests. */
const LONG_MS = 10_000_000;

it('holds a bounded number of credentials, keeps what could not be written, and writes the rest when it stops', async () => {
  const { store } = service.app;
  let away = true;
  const failing = {
    ...store,
    write: (job: Parameters<typeof store.write>[0]) => (away ? Promise.reject(new Error('away')) : store.write(job)),
  } as typeof store;
  const usage = createUsage({ store: failing, clock, log: silent, most: 2 });
  const { accountId } = service;
  const ids = Array.from({ length: 3 }, () => `key_${randomBytes(8).toString('hex')}`);
  const caller = (id: string) => {
    const { credential } = requestContext({ credential: { id } });
    return { accountId, accountFrozen: false, platform: false, credential };
  };
  for (const id of [...ids, ids[0]!]) usage.count(caller(id), 200, LONG_MS);
  await expect(usage.flush()).rejects.toThrow('away');
  usage.count(caller(ids[0]!), 403, LONG_MS);
  away = false;
  await usage.worker.stop();
  const found = await Promise.all(ids.map((id) => usageOf(id)));
  expect(found.map(([day]) => day && [day.requests, day.refusals])).toEqual([[3, 1], [1, 0], undefined]);
  const always = { at: 0, minutes: 1_440, first: 0, end: 2 ** 40, sign: 1 as const };
  const answered = await store.read.metricSums.of(accountId, { source: 'request', pieces: [always] });
  const long = answered.filter(({ type }) => type === `${boundOf(LONG_MS)}`);
  expect(Object.fromEntries(long.map(({ status, items }) => [status, items]))).toEqual({ ok: 4n, refused: 1n });
});
